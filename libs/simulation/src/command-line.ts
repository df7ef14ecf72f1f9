import type { WorkerThread } from './in-workers.ts'
import { type SimulationReport, type SimulationWork, simulate } from './simulation.ts'

export interface SimulationCommand {
  /** The arguments after the name of the script: `--schedules 1000 --seed 1 --workers 2`, or `--replay 4711`. */
  readonly arguments: readonly string[]
  readonly defaults: { readonly schedules: number; readonly seed: number; readonly workers: number }
  readonly startWorker: (work: SimulationWork) => WorkerThread
  readonly replay: (seed: number) => ReplayedSchedule | Promise<ReplayedSchedule>
  readonly nowMs: () => number
  readonly print: (line: string) => void
}

/** The repeated run of one schedule, with a trace of all its events. */
export interface ReplayedSchedule {
  readonly schedule?: unknown
  readonly trace?: readonly string[]
  readonly problems: readonly string[]
}

/** Runs the simulation that the arguments describe; returns the exit code. */
export async function runCommandLine(line: SimulationCommand): Promise<number> {
  const values = readArguments(line)
  if (values === undefined) {
    line.print(
      'usage: run-simulation.ts [--schedules <number>] [--seed <whole number>] [--workers <number>] | --replay <seed>',
    )
    return 2
  }
  return values.replay === undefined ? runAll(line, values) : showReplay(line, values.replay)
}

interface Arguments {
  readonly schedules: number
  readonly seed: number
  readonly workers: number
  readonly replay: number | undefined
}

function readArguments(line: SimulationCommand): Arguments | undefined {
  const values: { schedules: number; seed: number; workers: number; replay?: number } = { ...line.defaults }
  for (let at = 0; at < line.arguments.length; at += 2) {
    const name = (line.arguments[at] ?? '').replace(/^--/, '')
    const value = line.arguments[at + 1] ?? ''
    if (!isName(name) || !/^\d+$/.test(value) || !Number.isSafeInteger(Number(value))) return undefined
    values[name] = Number(value)
  }
  if (values.schedules < 1 || values.workers < 1) return undefined
  return { ...values, replay: values.replay }
}

function isName(name: string): name is keyof Arguments {
  return ['schedules', 'seed', 'workers', 'replay'].includes(name)
}

async function runAll(line: SimulationCommand, { schedules, seed, workers }: Arguments): Promise<number> {
  const { print, nowMs, startWorker } = line
  const startMs = nowMs()
  const seconds = () => ((nowMs() - startMs) / 1000).toFixed(0)
  const progressEvery = Math.max(1_000, Math.floor(schedules / 20))
  let nextProgress = progressEvery
  const printed = new Set<number>()
  print(`${schedules} schedules from seed ${seed} on, ${workers} workers`)
  const report = await simulate({
    schedules,
    seed,
    workers,
    startWorker,
    onProgress: (soFar) => {
      for (const { seed: failed } of soFar.failures.filter((failure) => !printed.has(failure.seed))) {
        printed.add(failed)
        print(`seed ${failed} failed`)
      }
      if (soFar.schedules < nextProgress) return
      nextProgress += progressEvery
      print(`${soFar.schedules} schedules, ${soFar.failures.length} failures, ${seconds()} s`)
    },
  })
  printReport(report, print)
  print(`${report.schedules} schedules in ${seconds()} s: ${report.failures.length} failures`)
  return report.failures.length === 0 ? 0 : 1
}

function printReport({ failures, seen, virtualMs }: SimulationReport, print: (line: string) => void): void {
  for (const { seed, problems } of failures) {
    print(`\nseed ${seed} (--replay ${seed} shows each step):\n  ${problems.join('\n  ').slice(0, 2_000)}`)
  }
  const hours = 'hours on the virtual clock'
  const width = Math.max(hours.length, ...Object.keys(seen).map((what) => what.length))
  for (const what of Object.keys(seen).sort()) print(`  ${what.padEnd(width)}  ${seen[what]}`)
  print(`  ${hours.padEnd(width)}  ${(virtualMs / 3_600_000).toFixed(0)}`)
}

async function showReplay({ replay, print }: SimulationCommand, seed: number): Promise<number> {
  const { schedule, trace = [], problems } = await replay(seed)
  if (schedule !== undefined) print(JSON.stringify(schedule, null, 2))
  for (const line of trace) print(line)
  print(problems.length === 0 ? 'no guarantee was broken' : `broken:\n  ${problems.join('\n  ')}`)
  return problems.length === 0 ? 0 : 1
}
