import { expect, test } from 'vitest'
import { type Options, readEmulatorOptions } from './config.ts'
import { planModems, withCheckDigit } from './planned-modem.ts'

const plan = (...argv: string[]) => planModems(readEmulatorOptions(argv, {}) as Options, undefined)

test('serves a modem without a port on a pseudo-terminal with its name', () => {
  expect(plan()).toMatchObject([{ name: 'modem0', personality: 'quectel-ec25', pty: './data/emulator/modem0' }])
})

test('gives a TCP modem a pseudo-terminal only on request', () => {
  expect(plan('--tcp', '127.0.0.1:0')[0]?.pty).toBeUndefined()
  expect(plan('--tcp', '127.0.0.1:0', '--pty', './m')[0]?.pty).toBe('./m')
})

test('gives modems unique names, numbers and IMEIs, which are the same at every start', () => {
  const row = ['--modem', 'tcp=127.0.0.1:0'] as const
  const [first, second] = plan(...row, ...row)
  expect([first?.name, first?.sim?.number, second?.name, second?.sim?.number]).toEqual([
    'modem0',
    '+447700900001',
    'modem1',
    '+447700900002',
  ])
  expect(first?.imei).not.toBe(second?.imei)
  expect(plan(...row)[0]?.imei).toBe(first?.imei)
})

test('sets a fault that is given for all modems on each modem', () => {
  expect(plan('--fault', 'cmti-twice', '--fault', 'prompt-late:delayMs=5')[0]?.faults).toEqual({
    'cmti-twice': {},
    'prompt-late': { delayMs: 5 },
  })
})

test.each([
  ['number', 'number=+447700900005,name=a', 'number=+447700900005,name=b'],
  ['imsi', 'imsi=234150000000001,name=a', 'imsi=234150000000001,name=b'],
  ['iccid', 'iccid=8944100000000000001,name=a', 'iccid=8944100000000000001,name=b'],
  ['name', 'name=a', 'name=a'],
  ['tcp', 'tcp=127.0.0.1:7001', 'tcp=127.0.0.1:7001'],
  ['pty', 'pty=./x', 'pty=./x'],
])('refuses two modems with the same %s', (key, one, other) => {
  expect(() => plan('--modem', one, '--modem', other)).toThrow(new RegExp(`^${key}: two modems have`))
})

test('calculates the check digit of 3GPP 23.003', () => {
  expect(withCheckDigit('49015420323751')).toBe('490154203237518')
})
