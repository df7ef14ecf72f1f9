import { startupFailure } from '@smsgw/modem/setup/startup-failure'
import { expect, test } from 'vitest'
import { alarmText, recoveredText } from './modem-descriptions.ts'
import { stateText } from './modem-health.ts'

test.each([
  [{ kind: 'needs-hands', failure: startupFailure('no-sim') }, 'There is no SIM in the modem. Insert the SIM'],
  [{ kind: 'port-refused', words: 'ModemManager uses it' }, 'ModemManager uses it'],
  [{ kind: 'gone', words: 'no such device' }, 'no such device. The modem is used again when it reconnects'],
  [{ kind: 'no-remedy', words: 'Nothing helped.' }, 'Nothing helped. Check the power supply'],
] as const)('an alarm describes the problem and the solution: %j', (cause, text) => {
  expect(alarmText(cause)).toContain(text)
})

test('a recovery names the successful measure and its duration', () => {
  expect(recoveredText({ by: 'reset', tookMs: 42_400 })).toBe('works again after a reset (42 s)')
  expect(recoveredText({ by: undefined, tookMs: 5 })).toBe('works again (0 s)')
})

test.each([
  [{ name: 'sim' }, 'reading the SIM'],
  [{ name: 'degraded', reasons: ['not-registered'] }, 'no network'],
  [
    { name: 'degraded', reasons: ['not-answering', 'storage-full'] },
    'the modem does not answer, the message storage is full',
  ],
  [
    { name: 'blocked', failure: startupFailure('pin-required') },
    'The SIM requires its PIN. Enter the PIN in the console',
  ],
] as const)('a state is described in words: %j', (state, text) => {
  expect(stateText(state)).toContain(text)
})
