import { simulate } from '@smsgw/simulation/simulation'
import { expect, test } from 'vitest'
import { planOutage } from '../../sim/outage.ts'
import { runOutage } from '../../sim/run-outage.ts'
import { startWorker } from '../../sim/start-worker.ts'

// `npm run sim` runs more outages. `node apps/relay/sim/run-simulation.ts --replay <seed>` shows one outage.
const seed = 1

test(`all agents are online soon after 8 outages of a region, without a collapse, from seed ${seed} on`, async () => {
  const { schedules, failures, seen } = await simulate({ schedules: 8, seed, workers: 2, startWorker })
  expect(failures).toEqual([])
  expect(schedules).toBe(8)
  for (const kind of ['refused', 'silent', 'no-relay']) expect.soft(seen[`outage: ${kind}`], kind).toBeGreaterThan(0)
}, 300_000)

test('the same seed gives the same outage', async () => {
  const outage = { ...planOutage(3, { agents: 200 }), forMs: 5_000 }
  expect((await runOutage(outage)).trace).toEqual((await runOutage(outage)).trace)
})
