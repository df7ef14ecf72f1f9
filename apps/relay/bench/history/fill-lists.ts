import { readDiskSpace } from '@smsgw/daemon/files/disk-space'
import type { BenchDatabase } from '../bench-database.ts'
import type { BenchOwner } from '../bench-relays.ts'
import { bulkLoad } from './bulk-load.ts'
import { fillMessages } from './fill-messages.ts'
import { fillDeliveries, fillReceived } from './fill-other-lists.ts'
import { NUMBERS } from './timed-rows.ts'

/** `bytesPerRow` is the measured size of one row in the tables and their indexes. */
const fills = {
  messages: { fill: fillMessages, bytesPerRow: 980 },
  inbox: { fill: fillReceived, bytesPerRow: 740 },
  deliveries: { fill: fillDeliveries, bytesPerRow: 590 },
} as const

export type HistoryList = keyof typeof fills
export const historyLists = Object.keys(fills) as readonly HistoryList[]

/** The largest index, which is sorted in files. */
const SORTED_BYTES_PER_ROW = 90
/** Kept free for the log of the database and for other programs. */
const RESERVE_BYTES = 6e9
const FEW_ROWS = 1_000_000

/**
 * Fills the lists with this many rows each, counts them and adds their conversations. Ends with a checkpoint, so that
 * PostgreSQL does not write these rows later, while the relay is measured.
 */
export async function fillLists(
  database: BenchDatabase,
  owner: BenchOwner,
  { lists, rows }: { readonly lists: readonly HistoryList[]; readonly rows: number },
): Promise<void> {
  if (rows >= FEW_ROWS) await requireSpace(database, lists, rows)
  for (const list of lists) await fills[list].fill(database, owner, rows)
  await addConversations(database)
  await database.pool.query('CHECKPOINT')
}

async function requireSpace({ pool }: BenchDatabase, lists: readonly HistoryList[], rows: number): Promise<void> {
  const { rows: found } = await pool.query<{ data_directory: string }>('SHOW data_directory')
  const space = readDiskSpace(found[0]?.data_directory ?? '')
  const bytesPerRow = lists.reduce((sum, list) => sum + fills[list].bytesPerRow, SORTED_BYTES_PER_ROW)
  const needed = rows * bytesPerRow + RESERVE_BYTES
  if (space === undefined || space.freeBytes >= needed) return
  const inGb = (bytes: number) => (bytes / 1e9).toFixed(1)
  throw new Error(
    `${rows} rows of ${lists.join(', ')} need ${inGb(needed)} GB, and ${space.path} has ${inGb(space.freeBytes)} GB ` +
      'free: store fewer rows or lists, or set TMPDIR to a folder on a larger disk',
  )
}

/** Adds the conversations with the time of their last message. The job of the relay adds 1000 messages a second. */
async function addConversations(database: BenchDatabase): Promise<void> {
  await bulkLoad(database, {
    name: 'conversations',
    tables: ['conversation_order'],
    rows: NUMBERS,
    async insert(client, first, last) {
      await client.query(`SET LOCAL work_mem = '256MB'`)
      await client.query(CONVERSATIONS, [first, last])
    },
  })
  await database.pool.query(`
    INSERT INTO conversation_order_progress (id, sent_key, received_key)
    SELECT 1, coalesce(pg_sequence_last_value('messages_key_seq'), 0), coalesce(pg_sequence_last_value('inbox_key_seq'), 0)
    ON CONFLICT (id) DO UPDATE SET sent_key = excluded.sent_key, received_key = excluded.received_key`)
}

/** Each row with one of these numbers. The newest rows contain the last row of each number. */
const CONVERSATIONS = `
  INSERT INTO conversation_order (account_id, number, folder, last_at)
  SELECT account_id, number, 'inbox', max(at) FROM (
    SELECT account_id, phone_number AS number, due_at AS at FROM recipients
    WHERE message_key > coalesce(pg_sequence_last_value('messages_key_seq'), 0) - ${NUMBERS}
    UNION ALL
    SELECT account_id, sender, created_at FROM inbox
    WHERE key > coalesce(pg_sequence_last_value('inbox_key_seq'), 0) - ${NUMBERS}
  ) AS newest
  WHERE number BETWEEN '+4915112' || (100000 - 1 + $1::int) AND '+4915112' || (100000 - 1 + $2::int)
  GROUP BY account_id, number ORDER BY number COLLATE "C"`
