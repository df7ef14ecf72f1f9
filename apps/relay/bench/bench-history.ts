// Measures how long it takes to read a page of 50 messages by cursor, over HTTP with authentication. Reads the first
// and the deepest page of a history of a million messages, with every filter of the API. Prints medians of forty
// requests.
//
//   node apps/relay/bench/bench-history.ts [--messages 1000000]
import { parseArgs } from 'node:util'
import type { Pool } from 'pg'
import { callUrl } from '../src/testing/call-url.ts'
import { withBenchDatabase } from './bench-database.ts'
import { type BenchRelays, withBenchRelays } from './bench-relays.ts'
import { countAllMessages } from './history/fill-messages.ts'
import { median, print } from './load/figures.ts'
import { timePage } from './load/time-page.ts'

const TIMES = 40
const PAGE = 50
/** The days that the history covers. They end before today, and are within the retention of the relay. */
const DAYS = 29
const DAY_MS = 86_400_000
const START = (Math.floor(Date.now() / DAY_MS) - DAYS) * DAY_MS
const day = (number: number) => new Date(START + number * DAY_MS).toISOString()

const { values } = parseArgs({ options: { messages: { type: 'string', default: '1000000' } } })
const messages = Number(values.messages)
const BUSY = 'd'.repeat(21)
const QUIET = 'q'.repeat(21)

type Query = Readonly<Record<string, string>>

const filters: readonly Query[] = [
  {},
  { includeContent: 'true' },
  { sort: 'created_at' },
  { from: day(5), to: day(25) },
  { state: 'Delivered' },
  // Few messages have failed, and they are far apart.
  { state: 'Failed' },
  { state: 'Failed', from: day(5), to: day(25) },
  { deviceId: BUSY },
  { deviceId: QUIET },
  { deviceId: BUSY, sort: 'created_at' },
  { deviceId: BUSY, state: 'Delivered' },
  { deviceId: QUIET, state: 'Failed' },
  { deviceId: QUIET, state: 'Failed', from: day(5), to: day(25), sort: 'created_at' },
]

await withBenchDatabase((database) =>
  withBenchRelays(database, 1, async (relays) => {
    await fill(database.pool, relays)
    print(`page of 50 from ${messages} messages, by cursor`, 'first ms', 'deepest ms', 'ratio')
    for (const filter of filters) await measure(relays, filter)
    const totals: readonly Query[] = [{}, { state: 'Delivered' }, { deviceId: BUSY }, { from: day(5.3), to: day(25.6) }]
    print('first page with the exact total', 'ms', 'without ms', 'ratio')
    await countAllMessages(database)
    for (const filter of totals) {
      const [counted = 0, without = 0] = await times(relays, filter, { ...filter, cursor: 'start' })
      print(nameOf(filter), counted.toFixed(1), without.toFixed(1), (counted / without).toFixed(2))
    }
  }),
)

/** Nine of ten messages belong to one account and one device, as in an installation with one main account. */
async function fill(pool: Pool, { accountId }: BenchRelays): Promise<void> {
  await pool.query(`INSERT INTO accounts (id, username, password_hash) VALUES ('other', 'other', '')`)
  await pool.query(
    `INSERT INTO messages (account_id, id, device_id, created_at, text, state, processed_at, sent_at, finished_at)
     SELECT CASE WHEN n % 10 = 9 THEN 'other' ELSE $2 END, 'm' || n, CASE WHEN n % 7 = 0 THEN $4 ELSE $3 END, at,
       'Your parcel no. 4711 arrives tomorrow between 10:00 and 12:00',
       (CASE WHEN n % 997 = 0 THEN 'Failed' WHEN n % 5 = 0 THEN 'Sent' ELSE 'Delivered' END)::message_state, at, at, at
     FROM generate_series(0, $1::int * 10 / 9) n, LATERAL (
       SELECT $5::timestamptz + n * $6 * interval '1 day' * 9 / 10 / $1::int AS at) AS created`,
    [messages, accountId, BUSY, QUIET, day(0), DAYS],
  )
  await pool.query(`
    INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, state, due_at)
    SELECT 'c' || key, key, account_id, device_id, 0, '+4915112345678', state, created_at FROM messages`)
  await pool.query('VACUUM ANALYZE')
}

async function measure(relays: BenchRelays, filter: Query): Promise<void> {
  const deepest = await deepestCursor(relays, filter)
  const [first = 0, last = 0] = await times(relays, { ...filter, cursor: 'start' }, { ...filter, cursor: deepest })
  print(nameOf(filter), first.toFixed(1), last.toFixed(1), (last / first).toFixed(2))
}

function nameOf(filter: Query): string {
  const name = Object.entries(filter).map(([key, value]) => `${key}=${value.slice(0, 10)}`)
  return name.join(' ') || 'all'
}

/**
 * Returns the cursor of the last page, which points to the 51st row from the end. A page of 51 rows, read in reverse
 * order, ends with this row.
 */
async function deepestCursor(relays: BenchRelays, filter: Query): Promise<string> {
  const sort = filter['sort'] === 'created_at' ? '-created_at' : 'created_at'
  const query = new URLSearchParams({ ...filter, sort, limit: String(PAGE + 1), cursor: 'start' })
  const { headers } = await callUrl('GET', `${relays.urls[0]}/3rdparty/v1/messages?${query}`, { auth: relays.auth })
  const link = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  if (link === undefined) throw new Error('too few messages for a second page')
  return new URL(link, 'http://relay').searchParams.get('cursor') ?? ''
}

/**
 * Returns the median duration of each kind of request. The kinds alternate, so that other programs on the machine
 * affect all kinds in the same way.
 */
async function times(relays: BenchRelays, ...queries: readonly Query[]): Promise<number[]> {
  const durations = queries.map((): number[] => [])
  for (let time = 0; time < TIMES; time++) {
    for (const [index, query] of queries.entries()) durations[index]?.push(await timePage(relays, query, PAGE))
  }
  return durations.map(median)
}
