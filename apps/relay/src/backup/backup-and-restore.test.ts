import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemRandom } from '../random.ts'
import { migrate, readMigrations } from '../store/migrations/migrate.ts'
import { migrationsFolder } from '../store/migrations/migrations-folder.ts'
import { secretBox } from '../store/secret-box.ts'
import { emptyDatabase, type TestDatabase, testDatabase } from '../testing/test-database.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { backupDatabase } from './backup-database.ts'
import { distrustBuiltInDevice } from './distrust-built-in-device.ts'
import { newHistory } from './new-history.ts'
import { restoreDatabase } from './restore-database.ts'

const SECRET = 'an honest secret of forty-two characters!!'
const NOW = new Date('2026-03-01T12:00:00Z')
/** Enough rows for several files of one table in the archive. */
const MANY = 20_000

let source: TestDatabase
let target: TestDatabase
let folder: string
let path: string

beforeEach(async () => {
  source = await testDatabase()
  target = await emptyDatabase()
  folder = mkdtempSync(join(tmpdir(), 'smsgw-backup-'))
  path = join(folder, 'smsgw.backup')
})

afterEach(async () => {
  await source.close()
  await target.close()
  rmSync(folder, { recursive: true, force: true })
})

test('restores every row of every table with any content, and numbering continues', async () => {
  await fill(source, MANY)
  expect(await backUp(source.url)).toBeGreaterThan(MANY)
  const restored = await restore()
  expect(restored.createdAt).toBe(NOW.toISOString())
  expect(await contents(target.url)).toEqual(await contents(source.url))
  const [one, other] = await Promise.all([source, target].map(({ url }) => insertLog(url)))
  expect(other).toBe(one)
})

test('contains a transaction that commits during the backup completely or not at all', async () => {
  await fill(source, MANY)
  let rows = 0
  let isOver = false
  const writing = (async () => {
    while (!isOver) {
      await sql(
        source.url,
        "INSERT INTO webhooks (account_id, id, url, event, secret_sealed) VALUES ('a1', $1, '', '', '')",
        [`w${rows}`],
      )
      rows += 1
    }
  })()
  await backUp(source.url)
  isOver = true
  await writing
  await restore()
  const [{ count = -1 } = {}] = await sql<{ count: number }>(target.url, 'SELECT count(*)::int AS count FROM webhooks')
  expect(count).toBeLessThanOrEqual(rows)
  expect(await ids(target.url)).toEqual(Array.from({ length: count }, (_, at) => `w${at}`).sort())
})

test('migrates a backup from an older release', async () => {
  const [first, ...later] = readMigrations(migrationsFolder())
  const older = await emptyDatabase()
  try {
    await migrate(older.url, first ? [first] : [])
    await sql(older.url, "INSERT INTO accounts (id, username, password_hash) VALUES ('a1', 'sms', 'h')")
    await sql(
      older.url,
      "INSERT INTO inbox (account_id, id, device_id, type, sender, created_at) VALUES ('a1', 'i', 'd', 'SMS', '+1', now())",
    )
    await backUp(older.url)
  } finally {
    await older.close()
  }
  await restore()
  expect(await sql(target.url, 'SELECT id, username FROM accounts')).toEqual([{ id: 'a1', username: 'sms' }])
  // Messages from before the upgrade count as read.
  expect(await sql(target.url, 'SELECT is_unread FROM inbox')).toEqual([{ is_unread: false }])
  const names = await sql<{ name: string }>(target.url, 'SELECT migration_name AS name FROM _prisma_migrations')
  expect(names.map(({ name }) => name).sort()).toEqual([first, ...later].map((each) => each?.name))
})

test('puts messages in doubt that the built-in device may have sent since the backup', async () => {
  const older = await emptyDatabase()
  try {
    const migrations = readMigrations(migrationsFolder()).filter(({ name }) => name < '0010')
    await migrate(older.url, migrations)
    await sql(older.url, "INSERT INTO accounts (id, username, password_hash) VALUES ('a1', 'sms', 'h')")
    await sql(
      older.url,
      "INSERT INTO devices (id, account_id, name, built_in, journal_id) VALUES ('d1', 'a1', 'here', true, 'j')",
    )
    await sql(
      older.url,
      `WITH stored AS (
         INSERT INTO messages (account_id, id, device_id, created_at, schedule_at)
         VALUES ('a1', 'now', 'd1', $1, NULL), ('a1', 'scheduled', 'd1', $1, $2) RETURNING key, id, created_at, schedule_at
       )
       INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, due_at)
       SELECT id, key, 'a1', 'd1', 0, '+1', coalesce(schedule_at, created_at) FROM stored`,
      [NOW, new Date(NOW.getTime() + 60_000)],
    )
    await backUp(older.url)
  } finally {
    await older.close()
  }
  await restore(SECRET, (client) => distrustBuiltInDevice(client, NOW))
  expect(
    await sql(target.url, 'SELECT cmd_id, dispatched_journal IS NOT NULL AS doubtful FROM recipients ORDER BY cmd_id'),
  ).toEqual([
    { cmd_id: 'now', doubtful: true },
    { cmd_id: 'scheduled', doubtful: false },
  ])
})

test('refuses a backup from a newer release, and any other file, with one clear line', async () => {
  await backUp(source.url)
  edit((text) => text.replace('0002_work_queues', '0002_work_zueues'))
  await expect(restore()).rejects.toThrow('newer than this one: install that release')
  writeFileSync(path, gzipSync('not a backup at all, and longer than a block of an archive'.repeat(20)))
  await expect(restore()).rejects.toThrow('is not a complete backup (a header is damaged)')
  writeFileSync(path, 'nothing')
  await expect(restore()).rejects.toThrow('is not a complete backup')
})

test('a truncated or changed backup restores nothing', async () => {
  await fill(source)
  await backUp(source.url)
  const whole = readFileSync(path)
  edit((text) => text.replace('a line of the log', 'a lime of the log'))
  await expect(restore()).rejects.toThrow('wrong checksum of table logs, so nothing was restored')
  writeFileSync(path, whole)
  truncateSync(path, whole.length - 2000)
  await expect(restore()).rejects.toThrow('is not a complete backup')
  expect(await sql(target.url, 'SELECT FROM accounts')).toEqual([])
  writeFileSync(path, whole)
  await restore()
})

test('does not restore into a database that has rows', async () => {
  await fill(source)
  await backUp(source.url)
  await restore()
  await expect(restore()).rejects.toThrow(/is not empty \(table \w+\): restore into a new database/)
})

test('reports a wrong secret before it restores anything', async () => {
  await fill(source)
  await backUp(source.url)
  await expect(restore('another secret of enough characters')).rejects.toThrow('SERVER_SECRET is not the secret')
  expect(await sql(target.url, 'SELECT FROM installation')).toEqual([])
})

test('gives the restored database a new history id, by which agents notice the restore', async () => {
  await fill(source)
  await backUp(source.url)
  await restore()
  const stream = 'SELECT stream_id FROM installation'
  expect(await sql(target.url, stream)).not.toEqual(await sql(source.url, stream))
})

test('writes a file that only its owner can read, even if a symbolic link or an unfinished backup exists', async () => {
  const elsewhere = join(folder, 'of-somebody-else')
  writeFileSync(elsewhere, 'as it was')
  symlinkSync(elsewhere, `${path}.unfinished`)
  await backUp(source.url)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(elsewhere, 'utf8')).toBe('as it was')
})

test('writes an archive that tar can read', async () => {
  await fill(source)
  await backUp(source.url)
  const names = execFileSync('tar', ['-tzf', path], { encoding: 'utf8' }).trim().split('\n')
  expect([names[0], names.at(-1)]).toEqual(['backup.json', 'checks.json'])
  const first = execFileSync('tar', ['-xzOf', path, 'tables/accounts/0001.copy'], { encoding: 'utf8' })
  expect(first).toMatch(/^a1\tsms\th\t/)
})

async function backUp(url: string): Promise<number> {
  const archive = new ArchiveWriter(path, NOW)
  const rows = await backupDatabase({ url, kind: 'relay', now: NOW, archive })
  await archive.finish()
  return rows
}

function restore(secret = SECRET, adjust = (client: Client) => newHistory(client, secret)) {
  return restoreDatabase({
    url: target.url,
    path,
    kind: 'relay',
    takeFile: async () => undefined,
    adjust,
  })
}

/**
 * Changes the archive. `change` must keep the number of characters, because the archive contains the sizes of its
 * files.
 */
function edit(change: (text: string) => string): void {
  writeFileSync(path, gzipSync(Buffer.from(change(gunzipSync(readFileSync(path)).toString('latin1')), 'latin1')))
}

async function fill({ url }: TestDatabase, logLines = 500): Promise<void> {
  const check = secretBox(SECRET, systemRandom).seal('smsgw', 'installation check')
  await sql(url, "INSERT INTO installation (id, stream_id, secret_check) VALUES (1, 'before', $1)", [check])
  await sql(url, "INSERT INTO accounts (id, username, password_hash, settings) VALUES ('a1', 'sms', 'h', $1)", [
    { messages: { work_hours_start: '08:30' } },
  ])
  await sql(url, "INSERT INTO devices (id, account_id, name) VALUES ('d1', 'a1', E'tab\\there')")
  await sql(
    url,
    "INSERT INTO token_families (id, account_id, scopes, expires_at) VALUES ('f1', 'a1', ARRAY['messages:send','a,b\"c'], now())",
  )
  await sql(
    url,
    `INSERT INTO messages (account_id, id, device_id, state, created_at, text, data, priority, is_partly_failed)
     VALUES ('a1', 'm1', 'd1', 'Delivered', now(), $1, $2, NULL, NULL), ('a1', 'm2', 'd1', 'Sent', now(), '', NULL, -128, true)`,
    ['line\nbreak, \t tab, \\N, \\., back\\slash, \r, "quotes", 👩‍👩‍👧', Buffer.from([0, 9, 10, 92, 255])],
  )
  await sql(
    url,
    `INSERT INTO inbox (account_id, id, device_id, type, sender, created_at)
     SELECT 'a1', 'i' || n, 'd1', 'SMS', '+' || n % 3, now() FROM generate_series(1, 6) n`,
  )
  await sql(url, "UPDATE inbox SET is_unread = false WHERE id IN ('i1', 'i2')")
  await sql(
    url,
    "INSERT INTO conversation_states (account_id, number, archived_at, assignee) VALUES ('a1', '+1', now(), 'Ada')",
  )
  await sql(
    url,
    `INSERT INTO logs (account_id, module, priority, message, context)
     SELECT 'a1', 'm', 'INFO', 'a line of the log ' || n, jsonb_build_object('n', n, 'more', repeat('x', 300))
       FROM generate_series(1, $1) n`,
    [logLines],
  )
}

async function contents(url: string): Promise<Record<string, unknown>> {
  const tables = await sql<{ name: string }>(
    url,
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'",
  )
  const found: Record<string, unknown> = {}
  for (const { name } of tables) {
    const kept = name === 'installation' ? "to_jsonb(t) - 'stream_id'" : 't::text'
    found[name] = await sql(
      url,
      `SELECT count(*), md5(string_agg((${kept})::text, '|' ORDER BY t::text)) FROM "${name}" t`,
    )
  }
  return found
}

async function insertLog(url: string): Promise<unknown> {
  const [row] = await sql<{ id: number }>(
    url,
    "INSERT INTO logs (account_id, module, priority, message) VALUES ('a1', 'm', 'INFO', 'next') RETURNING id",
  )
  return row?.id
}

async function ids(url: string): Promise<string[]> {
  return (await sql<{ id: string }>(url, 'SELECT id FROM webhooks')).map(({ id }) => id).sort()
}

async function sql<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}
