import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type FuzzReport, fuzzDriver } from './fuzz-driver.ts'

/** node libs/modem/fuzz/fuzz-dialogue.ts --lines 10000000 --bytes 10000000 --seed 1 */
const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '10000000' },
    bytes: { type: 'string', default: '10000000' },
    seed: { type: 'string', default: `${Date.now() % 1e9}` },
  },
})
const [lines, bytes, seed] = [values.lines, values.bytes, values.seed].map(Number) as [number, number, number]
if (![lines, bytes, seed].every(Number.isSafeInteger) || lines < 1) {
  print('usage: fuzz-dialogue.ts [--lines <number>] [--bytes <number>] [--seed <whole number>]')
  process.exit(2)
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const longestMs = 50
/** A driver keeps a ring of its last bytes, and little else. */
const mostHeapBytes = 16 * 1024 * 1024

const startMs = performance.now()
let nextProgress = progressEvery()
let leastHeap = Number.POSITIVE_INFINITY
let mostHeap = 0
print(`${lines} lines and ${bytes} bytes at least, seed ${seed}`)
const report = await fuzzDriver({
  lines,
  bytes,
  seed,
  longestMs,
  onProgress: showProgress,
  onDone: () => {
    collectGarbage()
    const { heapUsed } = process.memoryUsage()
    leastHeap = Math.min(leastHeap, heapUsed)
    mostHeap = Math.max(mostHeap, heapUsed)
  },
})
if (mostHeap - leastHeap > mostHeapBytes) report.problems.push(`a driver grew by ${megabytes(mostHeap - leastHeap)}`)
for (const problem of report.problems) print(`\n${problem.slice(0, 4000)}`)
print(`${told(report)} in ${seconds()} s: ${report.problems.length} problems`)
print(`slowest: ${report.slowest.ms.toFixed(1)} ms, ${report.slowest.what.slice(0, 200)}`)
print(`memory between the smallest and the largest driver: ${megabytes(mostHeap - leastHeap)}`)
process.exitCode = report.problems.length === 0 ? 0 : 1

function showProgress(soFar: FuzzReport): void {
  if (soFar.lines < nextProgress) return
  nextProgress += progressEvery()
  print(`${told(soFar)}, ${seconds()} s`)
}

function progressEvery(): number {
  return Math.max(100_000, lines / 10)
}

function told({ lines, bytes, episodes }: FuzzReport): string {
  return `${lines} lines, ${bytes} bytes, ${episodes} drivers`
}

function seconds(): string {
  return ((performance.now() - startMs) / 1000).toFixed(0)
}

function megabytes(octets: number): string {
  return `${(Math.max(0, octets) / 1024 / 1024).toFixed(1)} MB`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
