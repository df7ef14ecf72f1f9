import { readCountKeys } from '../../src/messages/counts/update-counts-statement.ts'
import { NEWEST_MESSAGES, updateMessageCounts } from '../../src/messages/counts/update-message-counts.ts'
import { connectDatabase } from '../../src/store/database.ts'
import type { BenchDatabase } from '../bench-database.ts'
import type { BenchOwner } from '../bench-relays.ts'
import { bulkLoad } from './bulk-load.ts'
import { NUMBER_OF_ROW, rowParameters, TIMED_ID, TIMED_ROWS } from './timed-rows.ts'

const COUNTED_AT_ONCE = 200_000

/** The API key that has sent a quarter of the messages. */
export const BENCH_KEY = 'benchKey4711'

/** Stores finished messages, which went to different numbers, and counts them. They have no parts. */
export async function fillMessages(database: BenchDatabase, owner: BenchOwner, rows: number): Promise<void> {
  const parameters = rowParameters(owner, rows)
  await addKey(database)
  await bulkLoad(database, {
    name: 'messages',
    tables: ['messages', 'recipients'],
    rows,
    async insert(client, first, last) {
      await client.query(TIMED_ID)
      await client.query(MESSAGES, [...parameters, first, last])
      await client.query(RECIPIENTS, [...parameters, first, last])
      await client.query(`SELECT setval('messages_key_seq', $1)`, [last])
    },
  })
  await countAllMessages(database)
}

const STATE = (number: string) => `(CASE WHEN ${number} % 1000 = 1 THEN 'Failed' ELSE 'Delivered' END)::message_state`

/** These messages have a second recipient, which failed. */
const IS_PARTLY_FAILED = 'n % 1000 = 501'

const MESSAGES = `
  INSERT INTO messages (key, account_id, id, device_id, created_at, text, state, processed_at, sent_at, finished_at,
    delivered_at, failed_at, sent_by, sent_by_key_id, is_partly_failed)
  SELECT n, account_id, pg_temp.timed_id(at, 'm' || n), device_id, at,
    'Your parcel no. 4711 arrives tomorrow between 10:00 and 12:00', ${STATE('n')}, at, at, at,
    CASE WHEN n % 1000 <> 1 THEN at END, CASE WHEN n % 1000 = 1 THEN at END,
    CASE WHEN n % 4 = 0 THEN 'key' WHEN n % 10000 = 3 THEN 'session' ELSE 'password' END,
    CASE WHEN n % 4 = 0 THEN '${BENCH_KEY}' END, CASE WHEN ${IS_PARTLY_FAILED} THEN true END
  FROM ${TIMED_ROWS}`

const RECIPIENTS = `
  INSERT INTO recipients
    (cmd_id, message_key, account_id, device_id, position, phone_number, state, due_at, not_before)
  SELECT pg_temp.timed_id(at, 'r' || n || '/' || position), n, account_id, device_id, position, ${NUMBER_OF_ROW},
    CASE WHEN position = 1 THEN 'Failed' ELSE ${STATE('n')} END, at, 'epoch'
  FROM ${TIMED_ROWS}, generate_series(0, CASE WHEN ${IS_PARTLY_FAILED} THEN 1 ELSE 0 END) position`

/**
 * Changes a few accepted messages, so that each filter selects at least a page of a thousand messages. As in a history,
 * half of the messages with failed recipients have a second recipient, which failed.
 */
export async function varyMessages({ pool }: BenchDatabase): Promise<void> {
  await addKey({ pool })
  const isPartlyFailed = (key: string) => `${key} % 16 = 6`
  const state = (key: string) => `(CASE WHEN ${key} % 16 = 1 THEN 'Failed' WHEN ${isPartlyFailed(key)} THEN 'Sent'
    WHEN ${key} % 4 = 2 THEN 'Delivered' ELSE state::text END)::message_state`
  await pool.query(`UPDATE recipients SET state = ${state('message_key')}`)
  await pool.query(`
    INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, state, due_at, not_before)
    SELECT cmd_id || '1', message_key, account_id, device_id, 1, phone_number, 'Failed', due_at, not_before
    FROM recipients WHERE ${isPartlyFailed('message_key')}`)
  await pool.query(`
    UPDATE messages SET state = ${state('key')}, sent_by_key_id = CASE WHEN key % 4 = 0 THEN '${BENCH_KEY}' END,
      sent_by = CASE WHEN key % 4 = 0 THEN 'key' WHEN key % 16 = 3 THEN 'session' ELSE sent_by END,
      is_partly_failed = CASE WHEN ${isPartlyFailed('key')} THEN true END`)
  await pool.query('VACUUM ANALYZE')
}

async function addKey({ pool }: Pick<BenchDatabase, 'pool'>): Promise<void> {
  await pool.query(
    `INSERT INTO api_keys (id, account_id, name, scopes, secret_hash, created_at)
     SELECT $1, id, 'bench', '{}', '', now() FROM accounts`,
    [BENCH_KEY],
  )
}

/** Updates the counts, as the job of the relay would do in many runs. */
export async function countAllMessages({ pool, url }: BenchDatabase): Promise<void> {
  const client = connectDatabase({ url, connections: 2 })
  for (;;) {
    const { counted, last } = await readCountKeys(client)
    if (counted + BigInt(NEWEST_MESSAGES) >= last) break
    await updateMessageCounts(client, { portion: COUNTED_AT_ONCE })
  }
  await client.$disconnect()
  await pool.query('VACUUM ANALYZE')
}
