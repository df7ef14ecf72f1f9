import { Worker } from 'node:worker_threads'
import { simulate } from '@smsgw/simulation/simulation'
import { expect, test } from 'vitest'

// `npm run sim` runs a million schedules. `node libs/modem/sim/run-simulation.ts --replay <seed>` runs one schedule,
// with its trace.
const seed = 20_261_120

test(`no guarantee is broken in 2 000 schedules of driver and virtual modem, from seed ${seed} on`, async () => {
  const { schedules, failures, seen } = await simulate({
    schedules: 2_000,
    seed,
    workers: 2,
    startWorker: (work) => new Worker(new URL('../sim/simulation-worker.ts', import.meta.url), { workerData: work }),
  })
  expect(failures).toEqual([])
  expect(schedules).toBe(2_000)
  // The run proves little unless every kind of result occurred.
  expect(Object.keys(seen)).toEqual(expect.arrayContaining([...mustBeSeen]))
}, 240_000)

const mustBeSeen = [
  ...['accepted', 'refused after the PDU', 'refused before the PDU', 'messages read', 'read again', 'reports read'],
  ...['answers lost: recovered in time', 'answers lost: asked while sending', 'unknown: answer-lost'],
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
