import { Worker } from 'node:worker_threads'
import type { SimulationWork } from '@smsgw/simulation/simulation'

export function startWorker(work: SimulationWork): Worker {
  return new Worker(new URL('./simulation-worker.ts', import.meta.url), { workerData: work })
}
