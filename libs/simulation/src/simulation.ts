import { inWorkers, type WorkerThread } from './in-workers.ts'

/** The result of one schedule. */
export interface ScheduleReport {
  /** One line for each broken guarantee. */
  readonly problems: readonly string[]
  /** How often each kind of result occurred, which shows what the run has covered. */
  readonly seen: Readonly<Record<string, number>>
  readonly virtualMs: number
}

/** The result of many schedules. */
export interface SimulationReport {
  readonly schedules: number
  readonly failures: readonly { readonly seed: number; readonly problems: readonly string[] }[]
  readonly seen: Readonly<Record<string, number>>
  readonly virtualMs: number
}

/** The share of one worker: schedules `seed`, `seed + 1`, … */
export interface SimulationWork {
  readonly seed: number
  readonly schedules: number
}

export interface SimulationOptions {
  readonly schedules: number
  readonly seed: number
  readonly workers: number
  readonly startWorker: (work: SimulationWork) => WorkerThread
  readonly onProgress?: (soFar: SimulationReport) => void
}

/** Divides the schedules among workers and adds up their reports. */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const { schedules, seed, workers, startWorker, onProgress } = options
  const share = Math.ceil(schedules / workers)
  const pieces = Array.from({ length: workers }, (_, at): SimulationWork => {
    const from = Math.min(schedules, at * share)
    return { seed: seed + from, schedules: Math.min(share, schedules - from) }
  })
  const reports = await inWorkers<SimulationWork, SimulationReport>(
    pieces.filter((piece) => piece.schedules > 0),
    startWorker,
    (soFar) => onProgress?.(sumOf(soFar.filter((report) => report !== undefined))),
  )
  return sumOf(reports)
}

export interface ScheduleLoop {
  readonly runSchedule: (seed: number) => ScheduleReport | Promise<ScheduleReport>
  readonly post: (soFar: SimulationReport) => void
  /** A worker posts a progress report after this many schedules. */
  readonly reportEvery: number
  /** Problems that were detected outside the schedule, such as an unhandled rejection. */
  readonly strayProblems?: () => Promise<readonly string[]>
}

/** Runs a worker's share of the schedules and posts the report. */
export async function runSchedules({ seed, schedules }: SimulationWork, loop: ScheduleLoop): Promise<void> {
  const failures: { seed: number; problems: readonly string[] }[] = []
  const seen: Record<string, number> = {}
  let done = 0
  let virtualMs = 0
  const post = () => loop.post({ schedules: done, failures, seen, virtualMs })
  while (done < schedules && failures.length < mostFailures) {
    const report = await loop.runSchedule(seed + done)
    const problems = [...report.problems, ...((await loop.strayProblems?.()) ?? [])]
    if (problems.length > 0) failures.push({ seed: seed + done, problems })
    addTo(seen, report.seen)
    virtualMs += report.virtualMs
    done += 1
    if (done % loop.reportEvery === 0) post()
  }
  post()
}

// A worker stops after this many failures, because code that always fails need not be run a thousand times.
const mostFailures = 10

function sumOf(reports: readonly SimulationReport[]): SimulationReport {
  const seen: Record<string, number> = {}
  for (const report of reports) addTo(seen, report.seen)
  return {
    schedules: reports.reduce((sum, report) => sum + report.schedules, 0),
    failures: reports.flatMap((report) => report.failures),
    seen,
    virtualMs: reports.reduce((sum, report) => sum + report.virtualMs, 0),
  }
}

function addTo(sums: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [what, times] of Object.entries(counts)) sums[what] = (sums[what] ?? 0) + times
}
