import { defaultSettings } from '@smsgw/contract/relay/settings'
import { deleteOldMessages } from '../../src/messages/delete-old-messages-statement.ts'
import { connectDatabase } from '../../src/store/database.ts'
import type { BenchDatabase } from '../bench-database.ts'
import { postgresSeconds } from '../fleet/watch-limits.ts'
import { runAcceptLoad } from '../load/accept-load.ts'
import { print } from '../load/figures.ts'
import type { Load } from '../load/load.ts'
import { logPosition } from './compare-accepts.ts'
import type { HistorySide } from './empty-and-filled.ts'

const DAY_MS = 86_400_000

/**
 * Deletes the oldest messages of a history as retention does: half of them while nothing else happens, and half while
 * messages are accepted. Prints also how long accepted messages wait, and how many conversations the job has to order
 * again.
 */
export async function measureDeletion(
  { database, relays }: HistorySide,
  { rows, connections, seconds }: { readonly rows: number; readonly connections: number; readonly seconds: number },
): Promise<void> {
  print(`${rows / 2} messages deleted`, 'a second', 'log KiB each', 'database ms', 'queued conversations')
  print('alone', ...(await deleteOldest(database, rows / 2)))
  const url = `${relays.urls[0]}/3rdparty/v1/messages`
  const accept = () => runAcceptLoad({ url, auth: relays.auth, connections, seconds })
  const alone = [await accept(), await accept()].slice(1)
  const beside: Load[] = []
  let isDeleting = true
  const deleting = deleteOldest(database, rows / 2).finally(() => {
    isDeleting = false
  })
  while (isDeleting) beside.push(await accept())
  const [perSecond = ''] = await deleting
  print('while messages are accepted', perSecond)
  print(`accepted at ${connections} connections`, 'a second', 'p50 ms', 'p99 ms', 'slowest ms')
  for (const [name, loads] of Object.entries({ alone, 'while messages are deleted': beside })) {
    const mean = (value: (load: Load) => number) => loads.reduce((sum, load) => sum + value(load), 0) / loads.length
    print(
      name,
      mean((load) => load.perSecond).toFixed(),
      mean((load) => load.p50Ms).toFixed(1),
      mean((load) => load.p99Ms).toFixed(1),
      Math.max(...loads.map(({ slowestMs }) => slowestMs)).toFixed(1),
    )
  }
}

/** Returns the figures as text. The clock makes exactly these messages expire. */
async function deleteOldest(database: BenchDatabase, rows: number): Promise<string[]> {
  const { pool, url, pid } = database
  const client = connectDatabase({ url, connections: 1 })
  const { rows: found } = await pool.query<{ at: Date }>(
    `SELECT finished_at AS at FROM messages WHERE account_id = (SELECT account_id FROM messages ORDER BY key LIMIT 1)
       AND finished_at IS NOT NULL ORDER BY finished_at OFFSET $1 LIMIT 1`,
    [rows],
  )
  const firstKept = found[0]?.at ?? new Date()
  const now = new Date(firstKept.getTime() + defaultSettings.messages.log_lifetime_days * DAY_MS)
  await pool.query('CHECKPOINT')
  const [queued, log, cpu] = [await queuedKey(database), await logPosition(database), postgresSeconds(pid)]
  const startedMs = performance.now()
  const deleted = await deleteOldMessages({ database: client, clock: { now: () => now } })
  const perSecond = (deleted / (performance.now() - startedMs)) * 1000
  const logged = (await logPosition(database)) - log
  const figures = [
    perSecond.toFixed(),
    (logged / deleted / 1024).toFixed(2),
    (((postgresSeconds(pid) - cpu) / deleted) * 1000).toFixed(3),
    String((await queuedKey(database)) - queued),
  ]
  await client.$disconnect()
  return figures
}

/** The last key of the queue, which tells how many conversations have been added to it. */
async function queuedKey({ pool }: BenchDatabase): Promise<number> {
  const { rows } = await pool.query<{ key: string | null }>(
    `SELECT pg_sequence_last_value('conversation_order_queue_key_seq') AS key`,
  )
  return Number(rows[0]?.key ?? 0)
}
