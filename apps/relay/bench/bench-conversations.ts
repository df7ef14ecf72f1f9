// Measures conversations over HTTP with authentication: the first page, a deep page, one conversation, and searches.
// The messages of the accounts went to few numbers, to many numbers, or mostly to one number. Prints medians of twenty
// requests.
//
//   node apps/relay/bench/bench-conversations.ts [--messages 100000]
import { parseArgs } from 'node:util'
import type { Pool } from 'pg'
import { callUrl } from '../src/testing/call-url.ts'
import { withBenchDatabase } from './bench-database.ts'
import { type BenchRelays, withBenchRelays } from './bench-relays.ts'
import { median, print } from './load/figures.ts'

const TIMES = 20
const { values } = parseArgs({ options: { messages: { type: 'string', default: '100000' } } })
const messages = Number(values.messages)

/** For each kind of account, SQL that returns the phone number of the n-th message. */
const SPREADS = {
  'twenty numbers': 'n % 20',
  'a thousand numbers': 'n % 1000',
  'each its own number': 'n',
  'nine of ten to one number, the newest only to that number': `CASE WHEN n < ${messages / 10} THEN n ELSE -1 END`,
}

await withBenchDatabase((database) =>
  withBenchRelays(database, 1, async (relays) => {
    print(`of ${messages} messages, and half as many received; ms`, 'first page', 'deep page', 'one', 'number', 'text')
    for (const [name, number] of Object.entries(SPREADS)) {
      await fill(database.pool, relays, number)
      const deep = await deepPage(relays)
      const figures = [
        await time(relays, '?limit=50'),
        await time(relays, deep),
        await time(relays, '/%2B4915100000001'),
        await time(relays, '?q=00123'),
        await time(relays, '?q=no.%2047110'),
      ]
      print(name, ...figures.map((ms) => ms.toFixed(1)))
    }
  }),
)

async function fill(pool: Pool, { accountId }: BenchRelays, number: string): Promise<void> {
  await pool.query('TRUNCATE messages, recipients, inbox CASCADE')
  await pool.query(
    `INSERT INTO messages (account_id, id, device_id, created_at, text, state, sent_at, finished_at)
     SELECT $2, 'm' || n, 'd', at, 'Your parcel no. ' || n || ' arrives tomorrow between 10:00 and 12:00',
       (CASE WHEN n % 5 = 0 THEN 'Sent' ELSE 'Delivered' END)::message_state, at, at
     FROM generate_series(1, $1::int) n, LATERAL (SELECT now() + n * interval '1 second' AS at) AS created`,
    [messages, accountId],
  )
  await pool.query(`
    INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, state, due_at)
    SELECT 'c' || key, key, account_id, device_id, 0,
      '+49151' || lpad(((${number}) + 1)::text, 8, '0'), state, created_at
    FROM (SELECT *, substr(id, 2)::int AS n FROM messages) AS m`)
  await pool.query(`
    INSERT INTO inbox (account_id, id, device_id, type, sender, created_at, text)
    SELECT account_id, 'i' || n, device_id, 'SMS', '+49151' || lpad(((${number}) + 1)::text, 8, '0'),
      created_at + interval '500 ms', 'Thank you for no. ' || n
    FROM (SELECT *, substr(id, 2)::int AS n FROM messages) AS m WHERE n % 2 = 0`)
  await pool.query('VACUUM ANALYZE')
}

/** The cursor of the tenth page, or of the last page. */
async function deepPage(relays: BenchRelays): Promise<string> {
  let query = '?limit=50'
  for (let page = 1; page < 10; page++) {
    const next = /\/conversations(\?[^>]+)>/.exec((await get(relays, query)).headers.get('link') ?? '')?.[1]
    if (next === undefined) break
    query = next
  }
  return query
}

async function get({ urls: [url], auth }: BenchRelays, path: string) {
  const called = await callUrl('GET', `${url}/3rdparty/v1/conversations${path}`, { auth })
  if (called.status !== 200) throw new Error(`${path}: ${called.status}`)
  return called
}

async function time(relays: BenchRelays, path: string): Promise<number> {
  const durations: number[] = []
  for (let turn = 0; turn < TIMES; turn++) {
    const started = performance.now()
    await get(relays, path)
    durations.push(performance.now() - started)
  }
  return median(durations)
}
