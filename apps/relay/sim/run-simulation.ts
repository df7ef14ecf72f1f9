// Outages of whole regions, after which all agents reconnect:
//
//   node apps/relay/sim/run-simulation.ts --schedules 200 --seed 1
//   node apps/relay/sim/run-simulation.ts --replay 4711
//
// With 100 000 agents, at one database or in ten cells; up to 90 s of CPU time and 1.5 GB of memory:
//
//   node apps/relay/sim/run-simulation.ts --agents 100000 --replay 1
//   node apps/relay/sim/run-simulation.ts --agents 100000 --cells 10 --replay 1
import { availableParallelism } from 'node:os'
import { runCommandLine } from '@smsgw/simulation/command-line'
import { planOutage } from './outage.ts'
import { runOutage } from './run-outage.ts'
import { startWorker } from './start-worker.ts'

const words = process.argv.slice(2)
const given = Object.fromEntries(
  ['agents', 'cells'].flatMap((name) => {
    const at = words.indexOf(`--${name}`)
    return at < 0 ? [] : [[name, Number(words.splice(at, 2)[1])]]
  }),
)

process.exitCode = await runCommandLine({
  arguments: words,
  defaults: { schedules: 200, seed: Date.now() % 1e9, workers: Math.min(2, availableParallelism()) },
  startWorker,
  replay: (seed) => runOutage(planOutage(seed, given)),
  nowMs: () => performance.now(),
  print: (line) => process.stdout.write(`${line}\n`),
})
