// Outages of whole regions, after which all agents reconnect:
//
//   node apps/relay/sim/run-simulation.ts --schedules 200 --seed 1
//   node apps/relay/sim/run-simulation.ts --replay 4711
//   node apps/relay/sim/run-simulation.ts --agents 100000 --replay 1   the outage of this seed, with 100 000 agents
import { availableParallelism } from 'node:os'
import { runCommandLine } from '@smsgw/simulation/command-line'
import { planOutage } from './outage.ts'
import { runOutage } from './run-outage.ts'
import { startWorker } from './start-worker.ts'

const words = process.argv.slice(2)
const at = words.indexOf('--agents')
const [, agents] = at < 0 ? [] : words.splice(at, 2).map(Number)

process.exitCode = await runCommandLine({
  arguments: words,
  defaults: { schedules: 200, seed: Date.now() % 1e9, workers: Math.min(2, availableParallelism()) },
  startWorker,
  replay: (seed) => runOutage(planOutage(seed, agents)),
  nowMs: () => performance.now(),
  print: (line) => process.stdout.write(`${line}\n`),
})
