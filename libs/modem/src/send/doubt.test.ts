import { describe, expect, test } from 'vitest'
import { promisesSettled } from '../testing/manual-clock.ts'
import { lateResults, pduWritten, submission } from '../testing/scripted-submission.ts'

describe('a late result', () => {
  test('a late result contains the id of its submission, even during resynchronisation', async () => {
    const { outcome, modem, clock, events, dialogue } = await pduWritten()
    modem.reply = () => ''
    await clock.advance(121_000)
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'silence' })
    modem.reply = () => undefined
    modem.say('\r\n+CMGS: 44\r\n\r\nOK\r\n')
    expect(lateResults(events)).toEqual([
      {
        kind: 'late-result',
        submission: 'part 1',
        outcome: { kind: 'accepted', messageReference: 44, detail: undefined },
      },
    ])
    expect(dialogue.telemetry.state).toBe('in-step')
  })

  test('a late result is recognised after resynchronisation too, until the next PDU is written', async () => {
    const { outcome, modem, clock, events, dialogue } = await pduWritten()
    await clock.advance(120_000)
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'silence' })
    const next = dialogue.submit(submission({ id: 'part 2' }))
    modem.say('\r\n+CMGS: 44\r\n')
    modem.say('\r\n> ')
    await promisesSettled()
    modem.say('\r\n+CMGS: 45\r\nOK\r\n')
    expect(await next).toMatchObject({ kind: 'accepted', messageReference: 45 })
    modem.say('\r\n+CMGS: 46\r\n')
    expect(lateResults(events)).toMatchObject([{ submission: 'part 1', outcome: { messageReference: 44 } }])
  })

  test('a late result is not recognised in a reference that arrives after the next PDU', async () => {
    const { modem, clock, events, dialogue } = await pduWritten()
    await clock.advance(120_000)
    const next = dialogue.submit(submission({ id: 'part 2' }))
    modem.say('\r\n> ')
    await promisesSettled()
    modem.say('\r\n+CMGS: 45\r\n+CMGS: 46\r\nOK\r\n')
    expect(await next).toMatchObject({ kind: 'accepted', messageReference: 45 })
    expect(lateResults(events)).toEqual([])
  })

  test('a late result may be a refusal, if it is unambiguous and the first result after the timeout', async () => {
    for (const [lines, expected] of [
      ['+CMS ERROR: 38\r\n', 1],
      ['+CMS ERROR: 500\r\n', 0],
      ['ERROR\r\n', 0],
      ['OK\r\n+CMS ERROR: 38\r\n', 0],
    ] as const) {
      const { modem, clock, events } = await pduWritten()
      modem.reply = () => ''
      await clock.advance(121_000)
      modem.say(lines)
      expect(lateResults(events)).toHaveLength(expected)
    }
  })

  test.each([515, 302, 301, 314])(
    'error %i is not a late result, because a modem that still processes the PDU answers AT with this error',
    async (code) => {
      const { outcome, modem, clock, events } = await pduWritten()
      modem.reply = () => `\r\n+CMS ERROR: ${code}\r\n`
      await clock.advance(121_000)
      expect(await outcome).toMatchObject({ kind: 'unknown', why: 'silence' })
      expect(lateResults(events)).toEqual([])
      modem.say('\r\n+CMGS: 9\r\n\r\nOK\r\n')
      expect(lateResults(events)).toMatchObject([{ outcome: { kind: 'accepted', messageReference: 9 } }])
    },
  )

  test('a late result is the reference, even if a result that looks like a refusal arrived first', async () => {
    const { modem, clock, events } = await pduWritten()
    modem.reply = () => ''
    await clock.advance(121_000)
    modem.say('\r\n+CMS ERROR: 38\r\n+CMGS: 9\r\n+CMGS: 10\r\n')
    expect(lateResults(events).map((late) => late.outcome.kind)).toEqual(['refused', 'accepted'])
  })

  test('a late result is not a truncated echo of the next command', async () => {
    const { modem, clock, events, dialogue } = await pduWritten()
    await clock.advance(120_000)
    void dialogue.submit(submission({ id: 'part 2' }))
    modem.say('\r\n+CMGS=19\r\n')
    expect(lateResults(events)).toEqual([])
  })
})
