import type { Modem } from '../src/modem.ts'
import { runEpisode } from './episode.ts'

export interface DriverFuzzOptions {
  /** The lowest number of lines and bytes to send. */
  readonly lines: number
  readonly bytes: number
  readonly seed: number
  /** The processor time that one piece of work may take. If omitted, nothing is measured. */
  readonly longestMs?: number
  readonly onProgress?: (soFar: DriverFuzzReport) => void
  /** Called with each driver after its last line, before the driver is released. */
  readonly onDone?: (modem: Modem) => void
}

export interface DriverFuzzReport {
  lines: number
  bytes: number
  episodes: number
  readonly problems: string[]
  slowest: { readonly ms: number; readonly what: string }
}

/**
 * Feeds random input to drivers until the requested amount is reached. Most drivers run briefly, but every tenth driver
 * runs for a long time.
 */
export async function fuzzDriver(options: DriverFuzzOptions): Promise<DriverFuzzReport> {
  const report: DriverFuzzReport = { lines: 0, bytes: 0, episodes: 0, problems: [], slowest: { ms: 0, what: '' } }
  while ((report.lines < options.lines || report.bytes < options.bytes) && report.problems.length === 0) {
    const seed = options.seed + report.episodes
    const lines = Math.min(report.episodes % 10 === 9 ? longEpisode : shortEpisode, Math.max(options.lines, 100))
    const { problems, ...fed } = await liveThrough(seed, lines, options, report)
    report.episodes += 1
    report.lines += fed.lines
    report.bytes += fed.bytes
    for (const problem of problems) report.problems.push(`seed ${seed}, ${lines} lines: ${problem}`)
    options.onProgress?.(report)
  }
  return report
}

const shortEpisode = 2_000
const longEpisode = 50_000

async function liveThrough(seed: number, lines: number, options: DriverFuzzOptions, report: DriverFuzzReport) {
  const { longestMs } = options
  const onDone = options.onDone && { onDone: options.onDone }
  if (longestMs === undefined) return runEpisode({ seed, lines, measure: (work) => work(), ...onDone })
  let slow = new Map<number, number>()
  let what = ''
  let step = 0
  const measure = (work: () => void, describe: () => string) => {
    const start = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(start)
    const ms = (user + system) / 1000
    step += 1
    if (ms < slowEnough) return
    slow.set(step, ms)
    if (ms > report.slowest.ms) what = describe()
  }
  const result = await runEpisode({ seed, lines, measure, ...onDone })
  // Repeats slow work, because compilation or garbage collection may slow work down by chance. Only work that is slow
  // every time counts.
  for (let again = 0; again < 3 && Math.max(0, ...slow.values()) > longestMs; again += 1) {
    const before = slow
    slow = new Map()
    step = 0
    await runEpisode({ seed, lines, measure })
    slow = new Map([...before].map(([at, ms]) => [at, Math.min(ms, slow.get(at) ?? 0)]))
  }
  const slowestMs = Math.max(0, ...slow.values())
  if (slowestMs > report.slowest.ms) report.slowest = { ms: slowestMs, what }
  const stalls = [...slow]
    .filter(([, ms]) => ms > longestMs)
    .map(([at, ms]) => `step ${at} took ${ms.toFixed(0)} ms: ${what}`)
  return { ...result, problems: [...result.problems, ...stalls] }
}

/** In milliseconds. Work that takes less time than this is not recorded. */
const slowEnough = 1
