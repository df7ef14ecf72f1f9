import { parentPort, workerData } from 'node:worker_threads'
import { runSchedules, type SimulationWork } from '@smsgw/simulation/simulation'
import { planOutage } from './outage.ts'
import { runOutage } from './run-outage.ts'

await runSchedules(workerData as SimulationWork, {
  runSchedule: (seed) => runOutage(planOutage(seed)),
  reportEvery: 20,
  post: (report) => parentPort?.postMessage(report),
})
