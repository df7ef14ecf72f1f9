// Measures how the cost of a fleet grows. Each figure is printed beside a baseline of the same run, and as growth from
// the smallest size to the largest:
//
//   npm run bench -- fleet          less than a minute on a machine that does nothing else
//   npm run bench -- fleet --large  1, 1000 and 20 000 agents, telemetry of 100 000 agents, 3 000 000 rows in each
//                                   list; an hour
//   npm run bench -- fleet --only agents --agents 1,100,10000
//   npm run bench -- fleet --only history --messages 10000000 --keep folder
//
// Linux only, because CPU time and memory are read from `/proc`. A relay with thousands of agents needs as many open
// files: `ulimit -n`.
import { parseArgs } from 'node:util'
import { type BenchDatabase, withBenchDatabase } from './bench-database.ts'
import { compareHistory, historyParts } from './fleet/compare-history.ts'
import { measureAccepts } from './fleet/measure-accepts.ts'
import { measureAgents } from './fleet/measure-agents.ts'
import { historyLists } from './history/fill-lists.ts'
import { print } from './load/figures.ts'
import { measureTelemetry, type TelemetryCost } from './load/telemetry.ts'

const { values } = parseArgs({
  options: {
    large: { type: 'boolean', default: false },
    only: { type: 'string' },
    relays: { type: 'string' },
    agents: { type: 'string' },
    telemetry: { type: 'string' },
    messages: { type: 'string' },
    // The lists of the history, each of which gets this many rows: messages, inbox, deliveries.
    lists: { type: 'string' },
    // Keeps the database of the history in this folder. A later run with the same sizes uses it again.
    keep: { type: 'string' },
    // What the history measures: pages, accept; delete only if it is chosen.
    measure: { type: 'string' },
    // Settings of PostgreSQL instead of those of a gateway: --postgres max_wal_size=1GB,wal_compression=pglz
    postgres: { type: 'string' },
    // Measures accepted messages with the checkpoints of a running system, instead of one before each round.
    steady: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    // The entry point of another build. A relay that runs from a bundle needs less memory than one from its sources.
    main: { type: 'string' },
  },
})
const { large: isLarge, main } = values
const counts = (given: string | undefined, small: string, large: string) =>
  (given ?? (isLarge ? large : small)).split(',').map(Number)
const relays = counts(values.relays, '1,2', '1,2,4')
const [seconds = 1] = counts(values.seconds, '1', '5')
const [rounds = 2] = counts(values.rounds, '2', '5')
const choices = <T extends string>(option: 'lists' | 'measure', all: readonly T[]): readonly T[] =>
  (values[option]?.split(',') ?? all).map((name) => {
    const choice = all.find((one) => one === name)
    if (choice === undefined) throw new Error(`--${option} "${name}" does not exist: use ${all.join(', ')}`)
    return choice
  })
const lists = choices('lists', historyLists)
const postgres = Object.fromEntries((values.postgres?.split(',') ?? []).map((setting) => setting.split('=', 2)))

const parts: Readonly<Record<string, () => Promise<void>>> = {
  accept: () =>
    withBenchDatabase((database) => measureAccepts(database, { relays, connections: 64, seconds, rounds, main })),
  agents: () =>
    measureAgents({
      agents: counts(values.agents, '1,100', '1,1000,20000'),
      relays: Math.max(...relays),
      atOnce: 64,
      idleSeconds: isLarge ? 60 : 2,
      messages: isLarge ? 1_000 : 100,
      main,
    }),
  telemetry: () =>
    withBenchDatabase((database) =>
      compareTelemetry(database, {
        agents: counts(values.telemetry, '100,1000,10000', '1000,10000,100000'),
        relays: Math.max(...relays),
        seconds: isLarge ? 30 : 3,
      }),
    ),
  history: () => {
    const sizes = counts(values.messages, '50000', '3000000')
    if (values.keep !== undefined && sizes.length > 1) throw new Error('--keep needs one size: --messages 1000000')
    const { keep, steady } = values
    return compareHistory(sizes, {
      lists,
      parts: values.measure === undefined ? ['pages', 'accept'] : choices('measure', historyParts),
      seconds,
      rounds,
      steady,
      main,
      keep,
      postgres,
    })
  },
}
const only = values.only?.split(',') ?? Object.keys(parts)
for (const name of only) {
  const part = parts[name]
  if (part === undefined) throw new Error(`--only "${name}" is not a part: use ${Object.keys(parts).join(', ')}`)
  process.stdout.write(`\n${name}\n`)
  await part()
}

interface TelemetryOptions {
  /** The numbers of agents to compare. */
  readonly agents: readonly number[]
  readonly relays: number
  readonly seconds: number
}

/** Measures the commits for the telemetry of fleets of different sizes. The baseline is one commit for each sample. */
async function compareTelemetry(
  database: BenchDatabase,
  { agents: sizes, relays, seconds }: TelemetryOptions,
): Promise<void> {
  const costs: TelemetryCost[] = []
  for (const agents of sizes) costs.push(await measureTelemetry(database, { agents, relays, seconds }))
  print(`telemetry on ${relays} relays`, 'samples/s', 'stored/s', 'commits/s', 'baseline/s', 'growth')
  for (const [index, agents] of sizes.entries()) {
    const { givenPerSecond, storedPerSecond, commitsPerSecond, alonePerSecond } = costs[index] as TelemetryCost
    const growth = commitsPerSecond / (costs[0]?.commitsPerSecond ?? commitsPerSecond)
    const columns = [givenPerSecond.toFixed(), storedPerSecond.toFixed(), commitsPerSecond.toFixed(1)]
    print(`${agents} agents`, ...columns, alonePerSecond.toFixed(), growth.toFixed(2))
  }
}
