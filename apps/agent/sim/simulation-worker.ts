import { parentPort, workerData } from 'node:worker_threads'
import { runSchedules, type SimulationWork } from '@smsgw/simulation/simulation'
import { runSendingSchedule } from './run-sending-schedule.ts'

await runSchedules(workerData as SimulationWork, {
  runSchedule: runSendingSchedule,
  reportEvery: 100,
  post: (report) => parentPort?.postMessage(report),
})
