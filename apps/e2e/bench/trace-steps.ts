// Reads the notes of trace-work.ts and shows where the time of a message goes: the steps in their order, with the
// median time of each.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface TracedStep {
  readonly atMs: number
  readonly name: string
}

/** The clock of the notes. */
export function traceMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Returns the steps of all threads in their order. */
export function readSteps(folder: string): readonly TracedStep[] {
  return readdirSync(folder)
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n').slice(0, -1))
    .map((line) => {
      const space = line.indexOf(' ')
      return { atMs: Number(line.slice(0, space)) / 1e6, name: line.slice(space + 1) }
    })
    .sort((one, other) => one.atMs - other.atMs)
}

export interface TracedPeriod {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * Returns a table of the steps that most periods contain. Each row shows the median time since the begin of the period,
 * and the median time since the row above.
 */
export function stepTable(steps: readonly TracedStep[], periods: readonly TracedPeriod[]): string {
  const times = new Map<string, number[]>()
  for (const { fromMs, toMs } of periods) {
    const seen = new Map<string, number>()
    for (const { name, atMs } of [
      ...steps.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs),
      { name: 'end', atMs: toMs },
    ]) {
      const turn = (seen.get(name) ?? 0) + 1
      seen.set(name, turn)
      const key = turn === 1 ? name : `${name} (${turn})`
      times.set(key, [...(times.get(key) ?? []), atMs - fromMs])
    }
  }
  const rows = [...times]
    .filter(([, each]) => each.length > periods.length / 2)
    .map(([name, each]) => ({ name, ms: median(each), share: each.length / periods.length }))
    .sort((one, other) => one.ms - other.ms)
  const lines = rows.map(({ name, ms, share }, at) => {
    const tookMs = ms - (rows[at - 1]?.ms ?? 0)
    return `| ${ms.toFixed(2)} | ${tookMs.toFixed(2)} | ${(share * 100).toFixed(0)} % | ${name.replaceAll('|', '\\|')} |`
  })
  return ['| ms | since the row above | messages | step |', '|---|---|---|---|', ...lines].join('\n')
}

/** Returns a table of the steps in this period with their number, without answers and ends of steps. */
export function countTable(steps: readonly TracedStep[], { fromMs, toMs }: TracedPeriod): string {
  const counts = new Map<string, number>()
  for (const { atMs, name } of steps)
    if (atMs >= fromMs && atMs < toMs && !/, (?:answered|done|set)$/.test(name))
      counts.set(name, (counts.get(name) ?? 0) + 1)
  const rows = [...counts].sort(([, one], [, other]) => other - one)
  return ['| times | step |', '|---|---|', ...rows.map(([name, count]) => `| ${count} | ${name} |`)].join('\n')
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0
}
