import type { Findings } from './audit.ts'

/** The recovery times or delays in milliseconds, by fault. */
export type Times = Map<string, readonly number[]>

export interface ChaosOutcome {
  readonly seed: number
  readonly tookMs: number
  readonly findings: Findings
  /** The counts of the load: accepted and received messages, repeated requests and webhook requests. */
  readonly counts: {
    readonly accepted: number
    readonly received: number
    readonly tries: number
    readonly webhooks: number
  }
  readonly crashes: readonly string[]
  readonly tables: Readonly<Record<string, Times>>
  readonly skipped: number
}

/** Prints what the run has found. Returns true if nothing is wrong. */
export function report(outcome: ChaosOutcome, print: (line: string) => void): boolean {
  const { seed, tookMs, counts, crashes, tables, skipped } = outcome
  const { lost, duplicated, inDoubt, notEnded, wrong } = outcome.findings
  for (const [kind, each] of Object.entries({ lost, duplicated, 'not ended': notEnded, wrong, crashed: crashes }))
    for (const line of each.slice(0, 20)) print(`  ${kind}: ${line}`)
  printTimes(tables, print)
  const allTimes = Object.values(tables).flatMap((times) => [...times.values()].flat())
  const neverRecovered = allTimes.filter((ms) => !Number.isFinite(ms)).length
  print('')
  print(`seed ${seed}, ${seconds(tookMs)}`)
  print(`${String(counts.accepted).padStart(7)}  accepted, ${counts.tries} requests repeated`)
  print(`${String(counts.received).padStart(7)}  received, ${counts.webhooks} webhook requests`)
  for (const [count, words] of [
    [lost.length, 'lost'],
    [duplicated.length, 'duplicated'],
    [inDoubt.length, 'in doubt (submit_unknown)'],
    [notEnded.length, 'not ended'],
    [wrong.length, 'failed or reported wrongly'],
    [crashes.length, 'processes that ended by themselves'],
    [neverRecovered, 'faults without recovery within three minutes'],
  ] as const)
    print(`${String(count).padStart(7)}  ${words}`)
  const isGood =
    [lost, duplicated, notEnded, wrong, crashes].every(({ length }) => length === 0) && neverRecovered === 0
  print(`${isGood ? 1 : 0} passed, ${isGood ? 0 : 1} failed, ${skipped} skipped`)
  return isGood
}

export function addTime(times: Times, name: string, ms: number): void {
  times.set(name, [...(times.get(name) ?? []), ms])
}

function printTimes(tables: Readonly<Record<string, Times>>, print: (line: string) => void): void {
  const cell = (text: string) => text.padStart(18)
  const headers = Object.keys(tables).flatMap((what) => [`${what}, median`, 'longest'])
  print('')
  print(`${'fault'.padEnd(36)}${'times'.padStart(6)}${headers.map(cell).join('')}`)
  const columns = Object.values(tables)
  for (const name of columns[0]?.keys() ?? []) {
    const cells = columns.flatMap((times) => {
      const sorted = (times.get(name) ?? []).toSorted((one, other) => one - other)
      return [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0]
    })
    const times = String(columns[0]?.get(name)?.length).padStart(6)
    print(`${name.padEnd(36)}${times}${cells.map(seconds).map(cell).join('')}`)
  }
}

export function seconds(ms: number): string {
  return Number.isFinite(ms) ? `${(ms / 1000).toFixed(1)} s` : 'never'
}
