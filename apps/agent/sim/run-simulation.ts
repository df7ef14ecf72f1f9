// `node sim/run-simulation.ts [--schedules <n>] [--seed <n>] [--replay <seed>]`
import { parseArgs } from 'node:util'
import { runSendingSchedule } from './run-sending-schedule.ts'

const { values } = parseArgs({
  options: { schedules: { type: 'string' }, seed: { type: 'string' }, replay: { type: 'string' } },
})
const schedules = values.replay === undefined ? Number(values.schedules ?? 100_000) : 1
const seed = Number(values.replay ?? values.seed ?? 20_261_121)
const seen: Record<string, number> = {}
let failures = 0
process.stdout.write(`sending: ${schedules} schedules from seed ${seed} on\n`)
for (let at = 0; at < schedules && failures < 10; at += 1) {
  const report = await runSendingSchedule(seed + at)
  for (const [what, times] of Object.entries(report.seen)) seen[what] = (seen[what] ?? 0) + times
  if (report.problems.length === 0) continue
  failures += 1
  process.stdout.write(`seed ${seed + at}:\n  ${report.problems.join('\n  ')}\n`)
}
process.stdout.write(`${JSON.stringify(seen)}\n${failures} failures\n`)
process.exit(failures === 0 ? 0 : 1)
