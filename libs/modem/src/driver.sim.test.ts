import { expect, test } from 'vitest'
import { simulate } from '../sim/simulation.ts'

// A million: `npm run sim`. One alone, byte by byte: `node libs/modem/sim/run-simulation.ts --replay <seed>`.
const seed = 20_261_120

test(`20 000 schedules of driver against virtual modem, from seed ${seed} on, break no promise`, async () => {
  const { schedules, failures, seen } = await simulate({ schedules: 20_000, seed, workers: 2 })
  expect(failures).toEqual([])
  expect(schedules).toBe(20_000)
  // That nothing was broken says little unless all of it was tried.
  expect(Object.keys(seen)).toEqual(expect.arrayContaining([...mustBeSeen]))
}, 1_200_000)

const mustBeSeen = [
  ...['accepted', 'refused after the PDU', 'refused before the PDU', 'messages read', 'read again', 'reports read'],
  ...['unknown: silence', 'unknown: port-lost', 'unknown: restarted', 'unknown: ambiguous-code'],
  ...[
    'not-sent: no-prompt',
    'not-sent: before-pdu-slow',
    'not-sent: before-pdu-aborted',
    'not-sent: before-pdu-failed',
  ],
  ...['not-sent: restarted', 'not-sent: port-lost', 'not-sent: out-of-step', 'not-sent: not-ready'],
  ...['late: accepted', 'late: refused', 'recovery: healed', 'recovery: raise-alarm', 'recovery: clear-alarm'],
]
