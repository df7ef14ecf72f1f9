import { connectDatabase } from '../../src/store/database.ts'
import { checkListCounts, updateListCounts } from '../../src/store/list-counts/update-list-counts.ts'
import type { BenchDatabase } from '../bench-database.ts'
import type { BenchOwner } from '../bench-relays.ts'
import { bulkLoad } from './bulk-load.ts'
import { NUMBER_OF_ROW, rowParameters, TIMED_ROWS } from './timed-rows.ts'

/** The webhook of the deliveries. It is disabled, so that its events cost nothing. */
export const WEBHOOK = 'bench'

/** The newest deliveries have attempts, which only their pages read. */
const WITH_ATTEMPTS = 1_000

/** Stores received messages, which have been read and came from different numbers, and counts them. */
export async function fillReceived(database: BenchDatabase, owner: BenchOwner, rows: number): Promise<void> {
  const parameters = rowParameters(owner, rows)
  await bulkLoad(database, {
    name: 'received messages',
    tables: ['inbox'],
    rows,
    async insert(client, first, last) {
      await client.query(RECEIVED, [...parameters, first, last])
      await client.query(`SELECT setval('inbox_key_seq', $1)`, [last])
    },
  })
  await countRows(database)
}

const RECEIVED = `
  INSERT INTO inbox
    (key, account_id, id, device_id, type, sender, recipient, sim_number, created_at, text, is_unread, stored_at)
  SELECT n, account_id, md5('i' || n), device_id, 'SMS', ${NUMBER_OF_ROW}, '+4915112345678', 1, at,
    'Thank you, I will be at home between 10:00 and 12:00', false, at
  FROM ${TIMED_ROWS}`

/** Stores delivered requests of one webhook, and counts them. */
export async function fillDeliveries(database: BenchDatabase, owner: BenchOwner, rows: number): Promise<void> {
  const { pool } = database
  const parameters = rowParameters(owner, rows)
  await pool.query(
    `INSERT INTO webhooks (account_id, id, url, event, events, secret_sealed, disabled_at)
     VALUES ($1, $2, 'https://example.com/hook', 'sms:delivered', '{sms:delivered}', '', now())`,
    [owner.accountId, WEBHOOK],
  )
  await bulkLoad(database, {
    name: 'deliveries',
    tables: ['webhook_deliveries'],
    rows,
    async insert(client, first, last) {
      await client.query(DELIVERIES, [...parameters, first, last])
      await client.query(`SELECT setval('webhook_deliveries_key_seq', $1)`, [last])
    },
  })
  await pool.query(
    `INSERT INTO webhook_attempts (delivery_key, number, started_at, duration_ms, url, address, status, excerpt)
     SELECT key, 1, created_at, 20, 'https://example.com/hook', '192.0.2.1', 200, 'ok' FROM webhook_deliveries
     ORDER BY key DESC LIMIT $1`,
    [WITH_ATTEMPTS],
  )
  await countRows(database)
}

const DELIVERIES = `
  INSERT INTO webhook_deliveries
    (key, id, webhook_key, account_id, device_id, event, payload, created_at, state, attempts, tries, finished_at)
  SELECT n, md5('d' || n), w.key, timed.account_id, timed.device_id, 'sms:delivered',
    jsonb_build_object('messageId', md5('m' || n), 'recipient', ${NUMBER_OF_ROW}, 'sender', '+4915112345678',
      'simNumber', 1, 'phoneNumber', ${NUMBER_OF_ROW}, 'deliveredAt', at),
    at, 'delivered', 1, 1, at
  FROM ${TIMED_ROWS}, (SELECT key FROM webhooks WHERE id = '${WEBHOOK}') AS w`

async function countRows({ pool, url }: BenchDatabase): Promise<void> {
  const database = connectDatabase({ url, connections: 2 })
  const deps = { database, url, log: { warn: () => undefined } }
  await updateListCounts(deps)
  // If a relay has counted the empty lists before, the counts are corrected.
  await checkListCounts(deps)
  await database.$disconnect()
  await pool.query('VACUUM ANALYZE')
}
