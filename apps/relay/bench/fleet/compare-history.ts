import { compareAccepts, type HistorySide, withEmptyAndFilled } from '../load/compare-history.ts'
import { median, print } from '../load/figures.ts'
import { timePage } from '../load/time-page.ts'

interface HistoryOptions {
  readonly seconds: number
  readonly rounds: number
  readonly main: string | undefined
}

const TIMES = 40
const PAGE = 50

/** Compares relays with and without a history: messages accepted, and pages of the history. */
export async function compareHistory(sizes: readonly number[], options: HistoryOptions): Promise<void> {
  for (const messages of sizes) {
    await withEmptyAndFilled(messages, options.main, async (...sides) => {
      await compareAccepts(sides, { connections: 64, ...options })
      await comparePages(sides)
    })
  }
}

/** The empty side has only the messages that it has just accepted. */
async function comparePages(sides: readonly [HistorySide, HistorySide]): Promise<void> {
  const pages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'newest page with the exact total': {},
    'newest page': { cursor: 'start' },
    'oldest page': { cursor: 'start', sort: 'created_at' },
    'newest page of one state': { cursor: 'start', state: 'Pending' },
  }
  print(`page of ${PAGE} messages, ms`, ...sides.map(({ name }) => name), 'ratio')
  for (const [name, query] of Object.entries(pages)) {
    const times = sides.map((): number[] => [])
    // The sides alternate, so that other programs on the machine affect both sides in the same way.
    for (let turn = 0; turn < TIMES; turn++)
      for (const [index, side] of sides.entries()) times[index]?.push(await timePage(side.relays, query, PAGE))
    const [empty = 0, filled = 0] = times.map(median)
    print(name, empty.toFixed(1), filled.toFixed(1), (filled / empty).toFixed(2))
  }
}
