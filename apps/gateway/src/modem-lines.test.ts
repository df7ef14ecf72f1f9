import { expect, test } from 'vitest'
import { isSettled, modemLines } from './modem-lines.ts'

const modem = { simNumber: 1, port: '/dev/ttyUSB2', state: 'ready', words: 'ready', model: 'Quectel EC25' } as never
const nameless = { port: '/dev/ttyUSB5', state: 'starting', words: 'probing' } as never

test('a modem is one line: its SIM, how it is, its network, what it is and where', () => {
  const known = { ...(modem as object), operator: 'Vodafone' } as never
  expect(modemLines({ modems: [known], unusable: [] })).toEqual([
    'SIM 1 ready, Vodafone (Quectel EC25 at /dev/ttyUSB2)',
  ])
  expect(modemLines({ modems: [nameless], unusable: [] })).toEqual(['probing (a modem at /dev/ttyUSB5)'])
})

test('what cannot be used is told, and nothing at all is told with what to do', () => {
  expect(modemLines({ modems: [], unusable: ['/dev/ttyUSB0 is held by ModemManager'] })).toEqual([
    '/dev/ttyUSB0 is held by ModemManager',
  ])
  expect(modemLines({ modems: [], unusable: [] })[0]).toContain('npm run agent -- doctor')
})

test('is waited for until each modem has said how it is', () => {
  expect(isSettled({ modems: [] })).toBe(false)
  expect(isSettled({ modems: [modem, nameless] })).toBe(false)
  const unopened = { port: '/dev/ttyUSB2', state: 'absent', words: 'not there: not opened yet' } as never
  expect(isSettled({ modems: [modem, unopened] })).toBe(false)
  expect(isSettled({ modems: [modem] })).toBe(true)
})
