import { describe, expect, test } from 'vitest'
import { cmeErrors } from './cme-errors.ts'
import { cmsErrors } from './cms-errors.ts'
import { isRefusal, plainError, readCommandError } from './command-error.ts'

const cms = (code: number) => readCommandError(`+CMS ERROR: ${code}`)
const classOf = (code: number) => cms(code)?.class

describe('each +CMS ERROR has the class that the notes about real modems give', () => {
  test.each([1, 8, 10, 28, 29, 30, 50, 21, 69, 95, 96, 97, 98, 99, 111, 127, 193, 195, 196, 198, 199, 304, 305])(
    '+CMS ERROR: %i is permanent',
    (code) => expect(classOf(code)).toBe('permanent'),
  )
  test.each([27, 38, 41, 42, 47, 192, 194, 212, 300, 301, 314, 512, 514, 515])(
    '+CMS ERROR: %i is temporary and is retried after a pause',
    (code) => {
      expect(classOf(code)).toBe('temporary')
      expect(cms(code)?.retryAfterMs).toBeGreaterThan(0)
    },
  )
  test.each([208, 209, 211, 320, 321, 322])('+CMS ERROR: %i concerns the storage', (code) =>
    expect(classOf(code)).toBe('storage'),
  )
  test.each([310, 311, 312, 313, 315, 316, 317, 318, 330])('+CMS ERROR: %i concerns the SIM', (code) => {
    expect(cms(code)).toMatchObject({ class: 'sim', alarm: 'sim' })
  })
  test.each([302, 331])('+CMS ERROR: %i concerns registration', (code) => expect(classOf(code)).toBe('registration'))
  test.each([332, 500, 513])('+CMS ERROR: %i does not show whether the message was sent', (code) =>
    expect(classOf(code)).toBe('unknown'),
  )

  test('every TP-PID and TP-DCS code from 128 to 159 is permanent', () => {
    for (let code = 128; code <= 159; code += 1) expect(classOf(code)).toBe('permanent')
  })
  test('+CMS ERROR: 197 is a duplicate and 340 is harmless', () => {
    expect([classOf(197), classOf(340)]).toEqual(['duplicate', 'harmless'])
  })
  test('a SIM that cannot send raises an alarm; filtered messages raise an alarm only if they are frequent', () => {
    expect([8, 10, 50].map((code) => cms(code)?.alarm)).toEqual(['sim', 'sim', 'sim'])
    expect(cms(21)?.alarm).toBe('rate')
  })
  test('retries within a minute after congestion, and within minutes if the network is out of order', () => {
    for (const code of [41, 42, 47]) expect(cms(code)?.retryAfterMs).toBeLessThanOrEqual(60_000)
    expect(cms(38)?.retryAfterMs).toBeGreaterThanOrEqual(60_000)
    expect(cms(27)?.retryAfterMs).toBeGreaterThan(cms(38)?.retryAfterMs ?? 0)
  })
})

test.each([
  [10, 'sim'],
  [11, 'sim'],
  [12, 'sim'],
  [13, 'sim'],
  [14, 'temporary'],
  [16, 'sim'],
  [30, 'registration'],
  [515, 'temporary'],
  [262, 'sim'],
  [100, 'unknown'],
])('+CME ERROR: %i is %s', (code, errorClass) => {
  expect(readCommandError(`+CME ERROR: ${code}`)).toMatchObject({ source: 'cme', code, class: errorClass })
})

test.each([
  ['+CMS ERROR: 38', 'cms', 38],
  ['+CMS ERROR:38', 'cms', 38],
  ['+CMS ERROR 38', 'cms', 38],
  ['CMS ERROR: 38', 'cms', 38],
  ['+CMS ERROR: "38"', 'cms', 38],
  ['+CMS ERROR: Unknown error', 'cms', 500],
  ['+CMS ERROR: unknown error', 'cms', 500],
  ['+CMS ERROR: network timeout', 'cms', 332],
  ['+CMS ERROR: Congestion', 'cms', 42],
  ['+CMS ERROR: SIM busy', 'cms', 314],
  ['+CMS ERROR: (U)SIM not inserted', 'cms', 310],
  ['+CMS ERROR: invalid PDU mode parameter', 'cms', 304],
  ['+CME ERROR: SIM not inserted', 'cme', 10],
  ['+CME ERROR: SIM PIN required', 'cme', 11],
  ['+CME ERROR: operation not allowed', 'cme', 3],
  ['+CME ERROR: something new', 'cme', undefined],
  ['+CMS ERROR:', 'cms', undefined],
])('%s is read by number or by words', (text, source, code) => {
  expect(readCommandError(text)).toMatchObject({ source, code, text })
})

test.each(['OK', 'ERROR', '+CMGS: 38', '+CMS ERRORS: 1', 'text +CMS ERROR: 38'])('%s is not a coded error', (text) => {
  expect(readCommandError(text)).toBeUndefined()
})

test('an undocumented code is not a refusal', () => {
  const error = readCommandError('+CMS ERROR: 4711')
  expect(error).toMatchObject({ code: 4711, class: 'unknown' })
  expect(error && isRefusal(error)).toBe(false)
  expect(isRefusal(plainError('ERROR', 'unknown'))).toBe(false)
})

test('every code has a description and advice', () => {
  for (const meaning of [...cmsErrors.values(), ...cmeErrors.values()]) {
    expect(meaning.words).toMatch(/^[A-Z].+\.$/)
    expect(meaning.advice).toMatch(/^[A-Z].+\.$/)
  }
})

test("the standard's text of an error maps to a code of the same class", () => {
  for (const [source, errors] of [['CMS', cmsErrors] as const, ['CME', cmeErrors] as const]) {
    for (const meaning of errors.values()) {
      expect(readCommandError(`+${source} ERROR: ${meaning.standard}`)?.class).toBe(meaning.class)
    }
  }
})
