import { inWorkers } from './in-workers.ts'

export interface SimulationOptions {
  readonly schedules: number
  readonly seed: number
  readonly workers: number
  readonly onProgress?: (soFar: SimulationReport) => void
}

export interface SimulationReport {
  readonly schedules: number
  /** The first that broke a promise, with what it broke. */
  readonly failures: readonly { readonly seed: number; readonly problems: readonly string[] }[]
  readonly seen: Readonly<Record<string, number>>
  readonly virtualMs: number
}

export interface SimulationWork {
  readonly seed: number
  readonly schedules: number
}

/** Schedules `seed`, `seed + 1`, …, shared out among the workers. */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const { schedules, seed, workers, onProgress } = options
  const share = Math.ceil(schedules / workers)
  const pieces = Array.from({ length: workers }, (_, at): SimulationWork => {
    const from = Math.min(schedules, at * share)
    return { seed: seed + from, schedules: Math.min(share, schedules - from) }
  })
  const reports = await inWorkers<SimulationWork, SimulationReport>(
    new URL('./simulation-worker.ts', import.meta.url),
    pieces.filter((piece) => piece.schedules > 0),
    (soFar) => onProgress?.(sumOf(soFar.filter((report) => report !== undefined))),
  )
  return sumOf(reports)
}

function sumOf(reports: readonly SimulationReport[]): SimulationReport {
  const seen: Record<string, number> = {}
  for (const report of reports) {
    for (const [what, times] of Object.entries(report.seen)) seen[what] = (seen[what] ?? 0) + times
  }
  return {
    schedules: reports.reduce((sum, report) => sum + report.schedules, 0),
    failures: reports.flatMap((report) => report.failures),
    seen,
    virtualMs: reports.reduce((sum, report) => sum + report.virtualMs, 0),
  }
}
