import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'
import { type DriverFuzzReport, fuzzDriver } from './fuzz-driver.ts'

export interface FuzzWork {
  readonly lines: number
  readonly bytes: number
  readonly seed: number
  readonly longestMs: number
}

export interface FuzzWorkerReport extends DriverFuzzReport {
  /**
   * The difference between the smallest and the largest heap. The heap is measured after the last line of each driver.
   */
  readonly heapSpreadBytes: number
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
// Full stack traces of expected errors would take a fifth of the time. A few frames are sufficient to locate any other
// error.
Error.stackTraceLimit = 3

let least = Number.POSITIVE_INFINITY
let most = 0
const work = workerData as FuzzWork
const post = (report: DriverFuzzReport) => {
  const message: FuzzWorkerReport = { ...report, heapSpreadBytes: Math.max(0, most - least) }
  parentPort?.postMessage(message)
}
const report = await fuzzDriver({
  ...work,
  onProgress: post,
  onDone: () => {
    collectGarbage()
    const { used_heap_size: used } = getHeapStatistics()
    least = Math.min(least, used)
    most = Math.max(most, used)
  },
})
post(report)
