import { setTimeout as sleep } from 'node:timers/promises'
import { isOrderBehind } from '../../src/conversation-order/update-order-statement.ts'
import { areCountsBehind } from '../../src/messages/counts/update-message-counts.ts'
import { connectDatabase } from '../../src/store/database.ts'
import type { BenchDatabase, PostgresSettings } from '../bench-database.ts'
import { compareAccepts } from '../history/compare-accepts.ts'
import { type HistorySide, withEmptyAndFilled } from '../history/empty-and-filled.ts'
import type { HistoryList } from '../history/fill-lists.ts'
import { BENCH_KEY, varyMessages } from '../history/fill-messages.ts'
import { WEBHOOK } from '../history/fill-other-lists.ts'
import { measureDeletion } from '../history/measure-deletion.ts'
import { runAcceptLoad } from '../load/accept-load.ts'
import { median, print } from '../load/figures.ts'
import { timeList } from '../load/time-page.ts'

interface HistoryOptions {
  readonly lists: readonly HistoryList[]
  readonly seconds: number
  readonly rounds: number
  readonly main: string | undefined
  /** Keeps the filled database in this folder, or uses it again. */
  readonly keep: string | undefined
  /** Settings of PostgreSQL that differ from those of a gateway. */
  readonly postgres: PostgresSettings
  /** What to measure. */
  readonly parts: readonly HistoryPart[]
  readonly steady: boolean
}

/** Only the first two are measured unless chosen, because the last one deletes messages, also those that are kept. */
export const historyParts = ['pages', 'accept', 'delete'] as const
export type HistoryPart = (typeof historyParts)[number]

const TIMES = 100
const WARM_UP = 20
const PAGE = 50
/** A tenth of the messages is deleted. */
const DELETED_SHARE = 10
/** The rows of each list on the empty side, because an empty list has no page. */
const FEW_ROWS = 1_000

/** Compares relays with and without a history: pages of the lists, and messages accepted. */
export async function compareHistory(sizes: readonly number[], options: HistoryOptions): Promise<void> {
  for (const rows of sizes) {
    await withEmptyAndFilled({ ...options, rows, fewRows: FEW_ROWS }, options.main, async (...sides) => {
      if (options.parts.includes('pages')) await comparePages(sides, options.lists)
      if (options.lists.includes('messages') && options.parts.includes('accept'))
        await compareAccepts(sides, { connections: 64, ...options })
      if (options.lists.includes('messages') && options.parts.includes('delete'))
        await measureDeletion(sides[1], { rows: rows / DELETED_SHARE, connections: 8, seconds: options.seconds })
    })
  }
}

interface Page {
  readonly path: string
  readonly rows?: number
}

/** Begins and ends within a day, so the rows of these two days are counted one by one. */
const PERIOD = new URLSearchParams({
  from: new Date(Date.now() - 10.4 * 86_400_000).toISOString(),
  to: new Date(Date.now() + 86_400_000).toISOString(),
})

/** Lists with one row: mostly the overhead of a request. */
const requests: Readonly<Record<string, Page>> = {
  'a list of one device': { path: '/devices', rows: 1 },
}

const DEVICE = 'd'.repeat(21)
const COMBINED = `state=Delivered&deviceId=${DEVICE}&sentBy=password`

const pagesOf: Readonly<Record<HistoryList, Readonly<Record<string, Page>>>> = {
  messages: {
    'newest page with the exact total': { path: '/messages' },
    'newest page of one state with its total': { path: '/messages?state=Pending' },
    'newest page of one device with its total': { path: `/messages?deviceId=${DEVICE}` },
    'newest page of one state and device with its total': { path: `/messages?state=Delivered&deviceId=${DEVICE}` },
    'newest page of a period with its total': { path: `/messages?${PERIOD}` },
    'newest page of the password with its total': { path: '/messages?sentBy=password' },
    'newest page of one key with its total': { path: `/messages?sentBy=${BENCH_KEY}` },
    'newest page of sessions, which are few, with its total': { path: '/messages?sentBy=session' },
    'newest page with failed recipients and its total': { path: '/messages?hasFailed=true' },
    'newest page with failed recipients in a period': { path: `/messages?hasFailed=true&${PERIOD}` },
    'newest page of state, device and password': { path: `/messages?${COMBINED}` },
    'newest page of state, device, password and period': { path: `/messages?${COMBINED}&${PERIOD}` },
    'newest page': { path: '/messages?cursor=start' },
    'oldest page': { path: '/messages?cursor=start&sort=created_at' },
    'newest page of one state': { path: '/messages?cursor=start&state=Pending' },
    'one message without the total': { path: '/messages?cursor=start&limit=1', rows: 1 },
    'newest page of conversations': { path: '/conversations?limit=50' },
  },
  inbox: {
    'received: newest page with the exact total': { path: '/inbox' },
    'received: newest page of SMS with their total': { path: '/inbox?type=SMS' },
    'received: newest page of a period with its total': { path: `/inbox?${PERIOD}` },
    'received: newest page': { path: '/inbox?cursor=start' },
  },
  deliveries: {
    'deliveries: newest page with the exact total': { path: `/webhooks/${WEBHOOK}/deliveries` },
    'deliveries: newest page of one state, with total': { path: `/webhooks/${WEBHOOK}/deliveries?state=delivered` },
    'deliveries: newest page of a period, with total': { path: `/webhooks/${WEBHOOK}/deliveries?${PERIOD}` },
    'deliveries: newest page': { path: `/webhooks/${WEBHOOK}/deliveries?cursor=start` },
  },
}

/** The empty side has only the messages that it accepts here. Some are changed, so that each filter has a page. */
async function comparePages(sides: readonly [HistorySide, HistorySide], lists: readonly HistoryList[]): Promise<void> {
  for (const { database, relays } of sides) {
    const load = { url: `${relays.urls[0]}/3rdparty/v1/messages`, auth: relays.auth, connections: 8, seconds: 0.5 }
    for (let accepted = 0; accepted < FEW_ROWS; ) {
      const { statuses } = await runAcceptLoad(load)
      if (!statuses.has(202)) throw new Error(`the relay accepted no message: ${JSON.stringify([...statuses])}`)
      accepted += statuses.get(202) ?? 0
    }
    await awaitJobs(database)
  }
  const [{ database: empty }] = sides
  await varyMessages(empty)
  await awaitJobs(empty)
  const pages = Object.entries<Page>(Object.assign({}, requests, ...lists.map((list) => pagesOf[list])))
  for (const [, page] of pages) await timePages(sides, page, WARM_UP)
  print(`page of ${PAGE} rows, ms`, ...sides.map(({ name }) => name), 'ratio')
  for (const [name, page] of pages) {
    const [empty = 0, filled = 0] = await timePages(sides, page, TIMES)
    print(name, empty.toFixed(1), filled.toFixed(1), (filled / empty).toFixed(2))
  }
}

/**
 * Returns the median of each side. The sides alternate, so that other programs on the machine affect both sides in the
 * same way.
 */
async function timePages(sides: readonly HistorySide[], { path, rows = PAGE }: Page, times: number): Promise<number[]> {
  const tookMs = sides.map((): number[] => [])
  for (let turn = 0; turn < times; turn++)
    for (const [index, { relays }] of sides.entries()) tookMs[index]?.push(await timeList(relays, path, rows))
  return tookMs.map(median)
}

/** Waits until the jobs of the relay have counted the accepted messages and added their conversations. */
async function awaitJobs({ url }: BenchDatabase): Promise<void> {
  const database = connectDatabase({ url, connections: 1 })
  while ((await areCountsBehind(database)) || (await isOrderBehind(database))) await sleep(500)
  await database.$disconnect()
}
