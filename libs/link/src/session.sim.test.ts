import { Worker } from 'node:worker_threads'
import { simulate } from '@smsgw/simulation/simulation'
import { expect, test } from 'vitest'

// `npm run sim` runs a million schedules. `node libs/link/sim/run-simulation.ts --replay <seed>` shows one schedule,
// step by step.
const seed = 20_261_121

test(`no guarantee is broken in 2 000 schedules of agents, relays, crashes and a bad network, from seed ${seed} on`, async () => {
  const { schedules, failures, seen } = await simulate({
    schedules: 2_000,
    seed,
    workers: 2,
    startWorker: (work) => new Worker(new URL('../sim/simulation-worker.ts', import.meta.url), { workerData: work }),
  })
  expect(failures).toEqual([])
  expect(schedules).toBe(2_000)
  // The schedules must have covered all these cases. Otherwise the result means little.
  for (const what of mustBeSeen) expect.soft(seen[what], what).toBeGreaterThan(0)
}, 300_000)

const mustBeSeen = [
  ...['story: plain', 'story: old-copy', 'story: duplicate', 'story: backup'],
  ...['sends: sent', 'sends: cancelled', 'sends: unknown', 'events stored', 'events skipped', 'events unreadable'],
  ...['journals replaced', 'stopped: cloned', 'both duplicates stopped', 'replays'],
]
