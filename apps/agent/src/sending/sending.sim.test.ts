import { expect, test } from 'vitest'
import { runSendingSchedule } from '../../sim/run-sending-schedule.ts'

// `npm run sim` runs a hundred thousand schedules. To repeat one of them: `node apps/agent/sim/run-simulation.ts
// --replay <seed>`.
const seed = 20_261_121
const schedules = 200

test(`no message is lost or sent twice in ${schedules} schedules of kills, refusals and silence from seed ${seed} on`, async () => {
  const seen = new Set<string>()
  const failures: string[] = []
  for (let at = 0; at < schedules; at += 1) {
    const report = await runSendingSchedule(seed + at)
    for (const [what, times] of Object.entries(report.seen)) if (times > 0) seen.add(what)
    failures.push(...report.problems.map((problem) => `seed ${seed + at}: ${problem}`))
  }
  expect(failures).toEqual([])
  // The run proves little unless each of these results occurred.
  expect([...seen]).toEqual(expect.arrayContaining([...mustBeSeen]))
})

const mustBeSeen = [
  ...['sent', 'delivered', 'cancelled', 'killed'],
  ...['failed: refused', 'failed: report_failed', 'failed: submit_unknown', 'failed: ttl_expired'],
]
