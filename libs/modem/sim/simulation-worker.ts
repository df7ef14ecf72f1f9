import { parentPort, workerData } from 'node:worker_threads'
import { runSchedules, type SimulationWork } from '@smsgw/simulation/simulation'
import { runDriverSchedule } from './run-schedule.ts'

// An unhandled rejection or exception is a failure of the schedule that is running.
const strays: string[] = []
process.on('unhandledRejection', (error) => strays.push(`unhandled rejection: ${shown(error)}`))
process.on('uncaughtException', (error) => strays.push(`uncaught exception: ${shown(error)}`))

await runSchedules(workerData as SimulationWork, {
  runSchedule: runDriverSchedule,
  reportEvery: 1_000,
  post: (report) => parentPort?.postMessage(report),
  strayProblems: async () => {
    // Waits for one iteration of the event loop, because Node.js reports unhandled rejections only between iterations,
    // and a schedule may end before the next iteration.
    await new Promise((resolve) => setImmediate(resolve))
    return strays.splice(0)
  },
})

function shown(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
