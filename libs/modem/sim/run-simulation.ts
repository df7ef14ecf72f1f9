import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { runSchedule } from './run-schedule.ts'
import { type SimulationReport, simulate } from './simulation.ts'

/**
 * node libs/modem/sim/run-simulation.ts --schedules 1000000 --seed 1
 * node libs/modem/sim/run-simulation.ts --replay 4711
 */
const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: `${Date.now() % 1e9}` },
    workers: { type: 'string', default: `${Math.min(2, availableParallelism())}` },
    replay: { type: 'string' },
  },
})
const [schedules, seed, workers] = [values.schedules, values.seed, values.workers].map(Number) as [
  number,
  number,
  number,
]
if (![schedules, seed, workers].every((value) => Number.isSafeInteger(value)) || schedules < 1 || workers < 1) {
  print(
    'usage: run-simulation.ts [--schedules <number>] [--seed <whole number>] [--workers <number>] | --replay <seed>',
  )
  process.exit(2)
}

if (values.replay === undefined) await runAll()
else await replay(Number(values.replay))

async function runAll(): Promise<void> {
  const startMs = performance.now()
  const seconds = () => ((performance.now() - startMs) / 1000).toFixed(0)
  print(`${schedules} schedules from seed ${seed} on, ${workers} workers`)
  let nextProgress = progressEvery()
  const told = new Set<number>()
  const report = await simulate({
    schedules,
    seed,
    workers,
    onProgress: (soFar) => {
      for (const { seed: failed } of soFar.failures.filter((failure) => !told.has(failure.seed))) {
        told.add(failed)
        print(`seed ${failed} failed`)
      }
      if (soFar.schedules < nextProgress) return
      nextProgress += progressEvery()
      print(`${soFar.schedules} schedules, ${soFar.failures.length} failures, ${seconds()} s`)
    },
  })
  show(report)
  print(`${report.schedules} schedules in ${seconds()} s: ${report.failures.length} failures`)
  process.exitCode = report.failures.length === 0 ? 0 : 1
}

function show({ failures, seen, virtualMs }: SimulationReport): void {
  for (const { seed: failed, problems } of failures) {
    print(`\nseed ${failed} (--replay ${failed} shows it byte by byte):\n  ${problems.join('\n  ').slice(0, 2_000)}`)
  }
  const width = Math.max(...Object.keys(seen).map((what) => what.length))
  for (const what of Object.keys(seen).sort()) print(`  ${what.padEnd(width)}  ${seen[what]}`)
  print(`  ${'hours on the virtual clock'.padEnd(width)}  ${(virtualMs / 3_600_000).toFixed(0)}`)
}

async function replay(failed: number): Promise<void> {
  const { schedule, trace, problems } = await runSchedule(failed, { tracing: true })
  print(JSON.stringify(schedule, null, 2))
  for (const line of trace) print(line)
  print(problems.length === 0 ? 'all promises were kept' : `broken:\n  ${problems.join('\n  ')}`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

function progressEvery(): number {
  return Math.max(1_000, Math.floor(schedules / 20))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
