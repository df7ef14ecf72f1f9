import { parentPort, workerData } from 'node:worker_threads'
import { runSchedule } from './run-schedule.ts'
import type { SimulationReport, SimulationWork } from './simulation.ts'

/** A machine that is broken everywhere need not be broken a thousand times. */
const mostFailures = 10
const reportEvery = 2_000

const { seed, schedules } = workerData as SimulationWork
const failures: { seed: number; problems: readonly string[] }[] = []
const seen: Record<string, number> = {}
let done = 0
let virtualMs = 0

while (done < schedules && failures.length < mostFailures) {
  const report = runSchedule(seed + done)
  if (report.problems.length > 0) failures.push({ seed: seed + done, problems: report.problems })
  for (const [what, times] of Object.entries(report.seen)) seen[what] = (seen[what] ?? 0) + times
  virtualMs += report.virtualMs
  done += 1
  if (done % reportEvery === 0) post()
}
post()

function post(): void {
  const report: SimulationReport = { schedules: done, failures, seen, virtualMs }
  parentPort?.postMessage(report)
}
