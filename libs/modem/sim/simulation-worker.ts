import { parentPort, workerData } from 'node:worker_threads'
import { runSchedule } from './run-schedule.ts'
import type { SimulationReport, SimulationWork } from './simulation.ts'

/** A driver that is broken everywhere need not be broken a thousand times. */
const mostFailures = 10
const reportEvery = 1_000

const { seed, schedules } = workerData as SimulationWork
const failures: { seed: number; problems: readonly string[] }[] = []
const seen: Record<string, number> = {}
let done = 0
let virtualMs = 0

// What nobody waits for and nobody catches is a failure of the schedule that is running.
const strays: string[] = []
process.on('unhandledRejection', (error) => strays.push(`nobody caught ${shown(error)}`))
process.on('uncaughtException', (error) => strays.push(`nobody caught ${shown(error)}`))

while (done < schedules && failures.length < mostFailures) {
  const report = await runSchedule(seed + done)
  // What nobody waits for is told in a turn of the event loop, which a schedule does not need.
  await new Promise((resolve) => setImmediate(resolve))
  const problems = [...report.problems, ...strays.splice(0)]
  if (problems.length > 0) failures.push({ seed: seed + done, problems })
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

function shown(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
