// Migrations 0054 to 0057 mark messages of which some recipients failed. Older relays continue to work meanwhile.
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { countHistory, readHistory } from '../../messages/read-history-statement.ts'
import { someoneWaits } from '../../testing/someone-waits.ts'
import { emptyDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { migrate, readMigrations } from './migrate.ts'
import { migrationsFolder } from './migrations-folder.ts'

const all = readMigrations(migrationsFolder())
const before = all.filter(({ name }) => name < '0054')
const marking = all.find(({ name }) => name === '0055_mark_partly_failed')?.name ?? ''
const MESSAGES = 3_000

let store: TestDatabase
let relay: Client

beforeEach(async () => {
  store = await emptyDatabase()
  await migrate(store.url, before)
  relay = new Client({ connectionString: store.url })
  await relay.connect()
  await fill()
})

afterEach(async () => {
  await relay.end()
  await store.close()
})

/** Stores messages with two recipients. Of each third message, one recipient failed; of each seventh, both. */
async function fill(): Promise<void> {
  await relay.query(`INSERT INTO accounts (id, username, password_hash) VALUES ('a0', 'a0', ''), ('a1', 'a1', '')`)
  await relay.query(`
    INSERT INTO messages (key, account_id, id, device_id, created_at, state)
    SELECT n, 'a' || n % 2, 'm' || n, 'd', '2026-03-01T12:00:00Z'::timestamptz + n * interval '1 s',
      (CASE WHEN n % 7 = 0 THEN 'Failed' ELSE 'Sent' END)::message_state
    FROM generate_series(1, ${MESSAGES}) n`)
  await relay.query(`
    INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, state, due_at)
    SELECT key || '/' || position, key, account_id, device_id, position, '+1', (CASE
      WHEN key % 7 = 0 OR (key % 3 = 0 AND position = 0) THEN 'Failed' ELSE 'Sent' END)::message_state, created_at
    FROM messages, generate_series(0, 1) position`)
}

async function migrateUpToMarking(): Promise<void> {
  await migrate(
    store.url,
    all.filter(({ name }) => name < marking),
  )
}

/** Writes a state of a recipient as the previous release does: in one statement with its message. */
async function write(key: number, position: number, state: string, ofMessage: string): Promise<void> {
  await relay.query('SELECT FROM messages WHERE key = $1 FOR NO KEY UPDATE', [key])
  await relay.query(
    `WITH written AS (UPDATE recipients SET state = $3::message_state WHERE message_key = $1 AND position = $2)
     UPDATE messages SET state = $4::message_state WHERE key = $1`,
    [key, position, state, ofMessage],
  )
}

async function expectExactLists(): Promise<void> {
  for (const accountId of ['a0', 'a1']) {
    const filter = { accountId, hasFailed: true }
    const listed = await readHistory(store.database, filter, 'ASC', { after: undefined, skip: 0, take: MESSAGES })
    const { rows } = await relay.query<{ id: string }>(
      `SELECT id FROM messages m WHERE account_id = $1 AND EXISTS (
         SELECT FROM recipients WHERE message_key = m.key AND state = 'Failed') ORDER BY created_at`,
      [accountId],
    )
    expect(rows.length).toBeGreaterThan(MESSAGES / 7)
    expect(listed.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
    expect(await countHistory(store.database, filter)).toEqual({ count: rows.length, isExact: true })
  }
}

test('existing messages of which some recipients failed are in the list', async () => {
  await migrate(store.url, all)
  await expectExactLists()
})

test('a migration that was killed continues at the next start', async () => {
  await migrateUpToMarking()
  await relay.query('BEGIN')
  await relay.query(`SELECT FROM messages WHERE key = ${MESSAGES - 3} FOR NO KEY UPDATE`)
  const killed = migrate(store.url, all).catch((error: Error) => error.message)
  await someoneWaits(store.database)
  const { rows } = await relay.query<{ marked: number; pid: number }>(
    `SELECT (SELECT count(*)::int FROM messages WHERE is_partly_failed) AS marked, pid
     FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  expect(rows).toEqual([{ marked: expect.any(Number), pid: expect.any(Number) }])
  expect(rows[0]?.marked).toBeGreaterThan(0)
  await relay.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
  expect(await killed).toContain(marking)
  await relay.query('ROLLBACK')
  expect(await migrate(store.url, all)).toEqual(all.map(({ name }) => name).filter((name) => name >= marking))
  await expectExactLists()
})

test('a relay of the previous release may change recipients while their messages are being marked', async () => {
  await migrateUpToMarking()
  await relay.query('BEGIN')
  // The migration waits for the lock of message 12, and then must see what the relay has changed.
  await write(12, 0, 'Delivered', 'Sent')
  await write(24, 1, 'Failed', 'Failed')
  const migrated = migrate(store.url, all)
  await someoneWaits(store.database)
  await relay.query('COMMIT')
  await migrated
  await expectExactLists()
  // A relay of the previous release also changes recipients after the migration.
  await write(5, 0, 'Failed', 'Sent')
  await write(9, 0, 'Delivered', 'Sent')
  await write(14, 1, 'Sent', 'Sent')
  await expectExactLists()
})
