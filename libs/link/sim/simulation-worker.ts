import { parentPort, workerData } from 'node:worker_threads'
import { runSchedules, type SimulationWork } from '@smsgw/simulation/simulation'
import { runLinkSchedule } from './run-schedule.ts'

await runSchedules(workerData as SimulationWork, {
  runSchedule: runLinkSchedule,
  reportEvery: 2_000,
  post: (report) => parentPort?.postMessage(report),
})
