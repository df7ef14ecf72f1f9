import { readCountKeys } from '../../src/messages/counts/update-counts-statement.ts'
import { NEWEST_MESSAGES, updateMessageCounts } from '../../src/messages/counts/update-message-counts.ts'
import { connectDatabase } from '../../src/store/database.ts'
import type { BenchDatabase } from '../bench-database.ts'
import type { BenchOwner } from '../bench-relays.ts'
import { bulkLoad } from './bulk-load.ts'
import { NUMBER_OF_ROW, rowParameters, TIMED_ID, TIMED_ROWS } from './timed-rows.ts'

const COUNTED_AT_ONCE = 200_000

/** Stores finished messages, which went to different numbers, and counts them. They have no parts. */
export async function fillMessages(database: BenchDatabase, owner: BenchOwner, rows: number): Promise<void> {
  const parameters = rowParameters(owner, rows)
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

const MESSAGES = `
  INSERT INTO messages
    (key, account_id, id, device_id, created_at, text, state, processed_at, sent_at, delivered_at, finished_at, sent_by)
  SELECT n, account_id, pg_temp.timed_id(at, 'm' || n), device_id, at,
    'Your parcel no. 4711 arrives tomorrow between 10:00 and 12:00', 'Delivered', at, at, at, at, 'password'
  FROM ${TIMED_ROWS}`

const RECIPIENTS = `
  INSERT INTO recipients
    (cmd_id, message_key, account_id, device_id, position, phone_number, state, due_at, not_before)
  SELECT pg_temp.timed_id(at, 'r' || n), n, account_id, device_id, 0, ${NUMBER_OF_ROW}, 'Delivered', at, 'epoch'
  FROM ${TIMED_ROWS}`

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
