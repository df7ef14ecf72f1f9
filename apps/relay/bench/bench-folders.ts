// Measures lists of conversations over HTTP with authentication: the first and the last page of each folder and filter,
// and the first page of searches. Each conversation has ten messages. Nine of ten conversations are archived. Prints
// medians of twenty requests.
//
// node apps/relay/bench/bench-folders.ts [--conversations 100000]
import { parseArgs } from 'node:util'
import type { Pool } from 'pg'
import { updateConversationOrder } from '../src/conversation-order/update-order.ts'
import { findConversations } from '../src/conversations/find-conversations.ts'
import { connectDatabase, type Database } from '../src/store/database.ts'
import { callUrl } from '../src/testing/call-url.ts'
import { withBenchDatabase } from './bench-database.ts'
import { type BenchRelays, withBenchRelays } from './bench-relays.ts'
import { median, print } from './load/figures.ts'

const TIMES = 20
/** Rows per statement. The job of the relay uses fewer, so that it does not delay other statements. */
const PORTION = 20_000
const { values } = parseArgs({ options: { conversations: { type: 'string', default: '100000' } } })
const conversations = Number(values.conversations)

const FILTERS = {
  'all conversations': {},
  'folder inbox': { folder: 'inbox' },
  'folder archived': { folder: 'archived' },
  'unread, more than a third': { unread: true },
  'a label of a third': { label: 'l1' },
  'assigned to one of twenty': { assignee: 'eva' },
} as const

const SEARCHES = {
  'part of a few numbers': '00123',
  'part of every number': '4915',
  'a text of every message sent': 'parcel',
  'a text of one old message': 'no. 4711 ',
  'a text of no message': 'xylophone',
}

await withBenchDatabase((bench) =>
  withBenchRelays(bench, 1, async (relays) => {
    await fill(bench.pool, relays)
    const database = connectDatabase({ url: bench.url, connections: 2 })
    const startedAt = performance.now()
    while ((await behind(bench.pool)) > 0) await updateConversationOrder(database, PORTION)
    print(
      `adding ${conversations * 10} messages to the order`,
      `${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
    )
    await bench.pool.query('VACUUM ANALYZE')
    print(`of ${conversations} conversations; ms`, 'first page', 'last page')
    for (const [name, filter] of Object.entries(FILTERS)) {
      const query = new URLSearchParams(
        Object.entries(filter).map(([key, value]): [string, string] => [key, `${value}`]),
      )
      const last = new URLSearchParams([...query, ['cursor', await lastCursor(database, relays, filter)]])
      print(name, ...[await time(relays, `?${query}`), await time(relays, `?${last}`)].map((ms) => ms.toFixed(1)))
    }
    print('unread total', (await time(relays, '/unread')).toFixed(1))
    print('first page of a search; ms')
    for (const [name, search] of Object.entries(SEARCHES))
      print(name, (await time(relays, `?${new URLSearchParams({ q: search })}`)).toFixed(1))
    print('search of the whole history; ms', 'pages', 'all', 'slowest page')
    for (const search of ['no. 4711 ', 'xylophone']) print(search, ...(await searchAll(relays, search)))
    await bench.pool.query('UPDATE inbox SET is_unread = true WHERE account_id = $1 AND sender > $2', [
      relays.accountId,
      '+4915100000020',
    ])
    await bench.pool.query('VACUUM ANALYZE')
    print('read, twenty conversations; ms', (await time(relays, '?unread=false')).toFixed(1))
    await database.$disconnect()
  }),
)

async function fill(pool: Pool, { accountId }: BenchRelays): Promise<void> {
  const number = (n: string) => `'+49151' || lpad(((${n})::bigint * 7919 % ${conversations})::text, 8, '0')`
  const run = (sql: string, ...more: readonly unknown[]) => pool.query(sql, [accountId, ...more])
  await run(
    `INSERT INTO messages (account_id, id, device_id, created_at, text, state, sent_at, finished_at)
     SELECT $1, 'm' || n, 'd', at, 'Your parcel no. ' || n || ' arrives tomorrow between 10:00 and 12:00', 'Delivered', at, at
     FROM generate_series(1, $2::int) n, LATERAL (SELECT now() - interval '25 days' + n * interval '3 s' AS at) AS created`,
    conversations * 7,
  )
  await run(`
    INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, state, due_at)
    SELECT 'c' || key, key, account_id, device_id, 0, ${number('key')}, state, created_at FROM messages WHERE account_id = $1`)
  await run(
    `INSERT INTO inbox (account_id, id, device_id, type, sender, created_at, text)
     SELECT $1, 'i' || n, 'd', 'SMS', ${number('n')}, now() - interval '25 days' + n * interval '7 s', 'Thank you for no. ' || n
     FROM generate_series(1, $2::int) n`,
    conversations * 3,
  )
  await run('UPDATE inbox SET is_unread = false WHERE account_id = $1 AND key % 5 > 0')
  await run("INSERT INTO labels (id, account_id, name, color) VALUES ('l1', $1, 'Orders', 'blue')")
  await run(
    `INSERT INTO conversation_states (account_id, number, archived_at, assignee)
     SELECT $1, ${number('n')}, CASE WHEN n % 10 < 9 THEN now() END, CASE WHEN n % 20 = 0 THEN 'eva' END
     FROM generate_series(1, $2::int) n`,
    conversations,
  )
  await run(
    `INSERT INTO conversation_labels SELECT $1, ${number('n')}, 'l1' FROM generate_series(1, $2::int, 3) n`,
    conversations,
  )
  await pool.query('VACUUM ANALYZE')
}

/** The number of messages and changes that have not updated the order of the conversations yet. */
async function behind(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ behind: number }>(`
    SELECT (SELECT count(*) FROM conversation_order_queue) + coalesce(pg_sequence_last_value('messages_key_seq'), 0)
      + coalesce(pg_sequence_last_value('inbox_key_seq'), 0)
      - coalesce((SELECT sent_key + received_key FROM conversation_order_progress), 0) AS behind`)
  return Number(rows[0]?.behind ?? 0)
}

/** The cursor of the page with the last twenty conversations. */
async function lastCursor(database: Database, { accountId }: BenchRelays, filter: object): Promise<string> {
  const visibility = { accountId, sent: true, received: true }
  const all = await findConversations(database, visibility, {
    before: undefined,
    among: undefined,
    filter,
    take: conversations,
  })
  const place = all.at(-21) ?? { at: new Date(), number: '+' }
  return Buffer.from(`${place.at.getTime()}.${place.number}`).toString('base64url')
}

/** Follows the pages of a search to the oldest message. */
async function searchAll({ urls: [url], auth }: BenchRelays, search: string): Promise<string[]> {
  const durations: number[] = []
  for (let path: string | undefined = `/3rdparty/v1/conversations?${new URLSearchParams({ q: search })}`; path; ) {
    const started = performance.now()
    const { status, headers } = await callUrl('GET', `${url}${path}`, { auth })
    if (status !== 200) throw new Error(`${path}: ${status}`)
    durations.push(performance.now() - started)
    path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  }
  const all = durations.reduce((sum, ms) => sum + ms, 0)
  return [String(durations.length), all.toFixed(0), Math.max(...durations).toFixed(0)]
}

async function time({ urls: [url], auth }: BenchRelays, path: string): Promise<number> {
  const durations: number[] = []
  for (let turn = 0; turn < TIMES; turn++) {
    const started = performance.now()
    const { status } = await callUrl(
      'GET',
      `${url}/3rdparty/v1${path === '/unread' ? path : `/conversations${path}`}`,
      { auth },
    )
    if (status !== 200) throw new Error(`${path}: ${status}`)
    durations.push(performance.now() - started)
  }
  return median(durations)
}
