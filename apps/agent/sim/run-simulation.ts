import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { runCommandLine } from '@smsgw/simulation/command-line'
import { runSendingSchedule } from './run-sending-schedule.ts'

/**
 * node apps/agent/sim/run-simulation.ts --schedules 100000 --seed 1
 * node apps/agent/sim/run-simulation.ts --replay 4711
 */
process.exitCode = await runCommandLine({
  arguments: process.argv.slice(2),
  defaults: { schedules: 100_000, seed: 20_261_121, workers: Math.min(2, availableParallelism()) },
  startWorker: (work) => new Worker(new URL('./simulation-worker.ts', import.meta.url), { workerData: work }),
  replay: (seed) => runSendingSchedule(seed),
  nowMs: () => performance.now(),
  print: (line) => process.stdout.write(`${line}\n`),
})
