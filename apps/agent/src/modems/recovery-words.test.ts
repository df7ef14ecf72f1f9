import { startupFailure } from '@smsgw/modem/startup/startup-failure'
import { expect, test } from 'vitest'
import { alarmWords, healedWords } from './recovery-words.ts'

test.each([
  [{ kind: 'needs-hands', failure: startupFailure('no-sim') }, 'There is no SIM in the modem. Insert the SIM'],
  [{ kind: 'port-refused', words: 'ModemManager holds it' }, 'ModemManager holds it'],
  [{ kind: 'gone', words: 'no such device' }, 'no such device. It is used again as soon as it is back'],
  [{ kind: 'no-remedy', words: 'Nothing helped.' }, 'Nothing helped. Look at its power supply'],
] as const)('an alarm says what is wrong and what to do: %j', (cause, words) => {
  expect(alarmWords(cause)).toContain(words)
})

test('what helped is told with how long it took', () => {
  expect(healedWords({ by: 'reset', tookMs: 42_400 })).toBe('it works again, after a reset (42 s)')
  expect(healedWords({ by: undefined, tookMs: 5 })).toBe('it works again (0 s)')
})
