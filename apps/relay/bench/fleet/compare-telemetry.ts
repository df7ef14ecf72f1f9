import type { BenchDatabase } from '../bench-database.ts'
import { print } from '../load/figures.ts'
import { measureTelemetry, type TelemetryCost } from '../load/telemetry.ts'

interface TelemetryOptions {
  /** The numbers of agents to compare. */
  readonly agents: readonly number[]
  readonly relays: number
  readonly seconds: number
}

/** Measures the commits for the telemetry of fleets of different sizes. The baseline is one commit for each sample. */
export async function compareTelemetry(
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
