import { readCountKeys } from '../../src/messages/counts/update-counts-statement.ts'
import { NEWEST_MESSAGES, updateMessageCounts } from '../../src/messages/counts/update-message-counts.ts'
import { connectDatabase } from '../../src/store/database.ts'
import type { BenchDatabase } from '../bench-database.ts'
import type { BenchRelays } from '../bench-relays.ts'

const PORTION = 200_000

/** Less than the retention of the relay, which would otherwise delete messages while they are stored and read. */
const DAYS = 20
const DAY_MS = 24 * 60 * 60_000

/**
 * Stores finished messages, which went to different numbers, and counts them. They were accepted at equal intervals of
 * at most a second, within the last `DAYS` days. Their ids begin with the time, like those of the relay. Triggers and
 * foreign keys are off, because they would double the time and have no effect on these rows.
 */
export async function storeOldMessages(
  database: BenchDatabase,
  { accountId, deviceId }: BenchRelays,
  messages: number,
): Promise<void> {
  const { pool } = database
  const apartMs = Math.min(1_000, (DAYS * DAY_MS) / messages)
  const beganAt = new Date(Date.now() - messages * apartMs)
  const client = await pool.connect()
  try {
    await client.query(`SET session_replication_role = replica; SET synchronous_commit = off`)
    await client.query(TIMED_ID)
    for (let from = 0; from < messages; from += PORTION) {
      const last = Math.min(messages, from + PORTION) - 1
      await client.query(FILL, [accountId, deviceId, beganAt, apartMs, from, last])
    }
    await client.query(`RESET session_replication_role; RESET synchronous_commit`)
  } finally {
    client.release()
  }
  await pool.query('VACUUM ANALYZE')
  await countAllMessages(database)
}

/** The ids of `newTimedId`. The random part comes from a hash of the number. */
const TIMED_ID = `
  CREATE OR REPLACE FUNCTION pg_temp.timed_id(ms bigint, number bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(substr('-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
      1 + ((ms >> (6 * digit)) & 63)::int, 1), '' ORDER BY digit DESC) || substr(md5(number::text), 1, 14)
    FROM generate_series(0, 6) digit
  $$`

const FILL = `
  WITH stored AS (
    INSERT INTO messages
      (account_id, id, device_id, created_at, text, state, processed_at, sent_at, delivered_at, finished_at)
    SELECT $1, pg_temp.timed_id((extract(epoch FROM at) * 1000)::bigint, n), $2, at,
      'Your parcel no. 4711 arrives tomorrow between 10:00 and 12:00', 'Delivered', at, at, at, at
    FROM generate_series($5::bigint, $6::bigint) n, LATERAL (
      SELECT $3::timestamptz + n * $4::float8 * interval '1 ms' AS at) AS accepted
    RETURNING key, id, created_at
  )
  INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, state, due_at)
  SELECT 'c' || substr(id, 2), key, $1, $2, 0, '+4915112' || (100000 + (key * 7919) % 900000), 'Delivered', created_at
  FROM stored`

/** Updates the counts, as the job of the relay would do in many runs. */
export async function countAllMessages({ pool, url }: BenchDatabase): Promise<void> {
  const client = connectDatabase({ url, connections: 2 })
  for (;;) {
    const { counted, last } = await readCountKeys(client)
    if (counted + BigInt(NEWEST_MESSAGES) >= last) break
    await updateMessageCounts(client, { portion: PORTION })
  }
  await client.$disconnect()
  await pool.query('VACUUM ANALYZE')
}
