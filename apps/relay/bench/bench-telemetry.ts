// Measures what the telemetry of a fleet costs the database:
//
//   node apps/relay/bench/bench-telemetry.ts [--agents 100000] [--relays 4] [--seconds 60]
//
// `load/telemetry.ts` describes the load and the baseline.
import { parseArgs } from 'node:util'
import { withBenchDatabase } from './bench-database.ts'
import { print } from './load/figures.ts'
import { measureTelemetry } from './load/telemetry.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    relays: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '60' },
  },
})
const [agents, relays, seconds] = [Number(values.agents), Number(values.relays), Number(values.seconds)]

await withBenchDatabase(async (database) => {
  const cost = await measureTelemetry(database, { agents, relays, seconds })
  print('baseline: samples stored alone, one commit each', `${cost.alonePerSecond.toFixed()}/s`)
  print(`samples of ${agents} agents`, `${cost.givenPerSecond.toFixed()}/s`)
  print('stored', `${cost.storedPerSecond.toFixed()}/s`)
  print('commits', `${cost.commitsPerSecond.toFixed(1)}/s`)
  print('write-ahead log for each sample', `${cost.walBytesEach.toFixed()} bytes`)
  print('warnings', `${cost.warnings}`)
})
