import { expect, test } from 'vitest'
import { runReceivingSchedule } from '../../sim/run-receiving-schedule.ts'

const seed = 20_261_121
const schedules = 300

test(`each message is reported exactly once in ${schedules} schedules of kills and copies from seed ${seed} on`, async () => {
  const failures: string[] = []
  for (let at = 0; at < schedules; at += 1) {
    const problems = await runReceivingSchedule(seed + at)
    failures.push(...problems.map((problem) => `seed ${seed + at}: ${problem}`))
  }
  expect(failures).toEqual([])
})
