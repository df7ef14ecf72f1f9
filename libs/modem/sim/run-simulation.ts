import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { runCommandLine } from '@smsgw/simulation/command-line'
import { runDriverSchedule } from './run-schedule.ts'

/**
 * node libs/modem/sim/run-simulation.ts --schedules 1000000 --seed 1
 * node libs/modem/sim/run-simulation.ts --replay 4711
 */
process.exitCode = await runCommandLine({
  arguments: process.argv.slice(2),
  defaults: { schedules: 1_000_000, seed: Date.now() % 1e9, workers: Math.min(2, availableParallelism()) },
  startWorker: (work) => new Worker(new URL('./simulation-worker.ts', import.meta.url), { workerData: work }),
  replay: (seed) => runDriverSchedule(seed, { tracing: true }),
  nowMs: () => performance.now(),
  print: (line) => process.stdout.write(`${line}\n`),
})
