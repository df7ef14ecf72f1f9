import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { inWorkers } from '@smsgw/simulation/in-workers'
import type { FuzzWork, FuzzWorkerReport } from './fuzz-worker.ts'

/** node libs/modem/fuzz/fuzz-dialogue.ts --lines 10000000 --bytes 10000000 --seed 1 */
const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '10000000' },
    bytes: { type: 'string', default: '10000000' },
    seed: { type: 'string', default: `${Date.now() % 1e9}` },
    workers: { type: 'string', default: `${Math.min(2, availableParallelism())}` },
  },
})
const numbers = [values.lines, values.bytes, values.seed, values.workers].map(Number)
const [lines, bytes, seed, workers] = numbers as [number, number, number, number]
if (!numbers.every(Number.isSafeInteger) || lines < 1 || workers < 1) {
  print('usage: fuzz-dialogue.ts [--lines <number>] [--bytes <number>] [--seed <whole number>] [--workers <number>]')
  process.exit(2)
}

/** The time limit for one line, one chunk or one step of the clock. */
const longestMs = 50
/** The largest allowed heap of a driver. A driver stores little more than a ring buffer of its last bytes. */
const mostHeapBytes = 16 * 1024 * 1024
/**
 * The distance between the first seeds of two workers. The distance is so large that no two workers use the same seed.
 */
const seedsApart = 1_000_000

const startMs = performance.now()
let nextProgress = progressEvery()
print(`${lines} lines and ${bytes} bytes at least, seed ${seed}, ${workers} workers`)
const reports = await inWorkers<FuzzWork, FuzzWorkerReport>(
  Array.from({ length: workers }, (_, at) => ({
    lines: Math.ceil(lines / workers),
    bytes: Math.ceil(bytes / workers),
    seed: seed + at * seedsApart,
    longestMs,
  })),
  (work) => new Worker(new URL('./fuzz-worker.ts', import.meta.url), { workerData: work }),
  (soFar) => showProgress(soFar.filter((report) => report !== undefined)),
)

const problems = reports.flatMap((report) => report.problems)
const heapSpread = Math.max(...reports.map(({ heapSpreadBytes }) => heapSpreadBytes))
if (heapSpread > mostHeapBytes) problems.push(`the memory of a driver grew by ${megabytes(heapSpread)}`)
for (const problem of problems) print(`\n${problem.slice(0, 4_000)}`)
const [slowest] = reports.map((report) => report.slowest).sort((one, other) => other.ms - one.ms)
print(`${totals(reports)} in ${seconds()} s: ${problems.length} problems`)
print(`slowest: ${slowest?.ms.toFixed(1)} ms, ${slowest?.what.slice(0, 200)}`)
print(`memory difference between the smallest and the largest driver: ${megabytes(heapSpread)}`)
process.exitCode = problems.length === 0 ? 0 : 1

function showProgress(soFar: readonly FuzzWorkerReport[]): void {
  if (sum(soFar, 'lines') < nextProgress) return
  nextProgress += progressEvery()
  print(`${totals(soFar)}, ${seconds()} s`)
}

function progressEvery(): number {
  return Math.max(100_000, lines / 10)
}

function totals(of: readonly FuzzWorkerReport[]): string {
  return `${sum(of, 'lines')} lines, ${sum(of, 'bytes')} bytes, ${sum(of, 'episodes')} drivers`
}

function sum(of: readonly FuzzWorkerReport[], what: 'lines' | 'bytes' | 'episodes'): number {
  return of.reduce((total, report) => total + report[what], 0)
}

function seconds(): string {
  return ((performance.now() - startMs) / 1000).toFixed(0)
}

function megabytes(octets: number): string {
  return `${(octets / 1024 / 1024).toFixed(1)} MB`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
