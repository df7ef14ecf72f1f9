// The statements on logs here are from the release before the migrations to partitions. Relays of that release run them
// while and after the database is migrated.
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { emptyDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { migrate, readMigrations } from '../migrations/migrate.ts'
import { migrationsFolder } from '../migrations/migrations-folder.ts'

const migrations = readMigrations(migrationsFolder())
const upTo = (name: string) => migrations.filter((one) => one.name < name)
const BEFORE = '0046'

let empty: TestDatabase
let old: Client

beforeEach(async () => {
  empty = await emptyDatabase()
  await migrate(empty.url, upTo(BEFORE))
  old = new Client({ connectionString: empty.url })
  await old.connect()
  await old.query(`INSERT INTO accounts (id, username, password_hash) VALUES ('a1', 'a1', ''), ('a2', 'a2', '')`)
})

afterEach(async () => {
  await old.end()
  await empty.close()
})

async function write(message: string, createdAt: string, account = 'a1'): Promise<void> {
  await old.query(
    `INSERT INTO logs (account_id, device_id, created_at, module, priority, message, context)
     SELECT row.account_id, NULL, row.created_at, '', 'WARN', row.message, NULL
     FROM unnest($1::text[], $2::timestamptz[], $3::text[]) WITH ORDINALITY AS row (account_id, created_at, message, number)
     JOIN accounts ON accounts.id = row.account_id
     ORDER BY row.number
     FOR KEY SHARE OF accounts`,
    [[account], [createdAt], [message]],
  )
}

async function listed(): Promise<{ id: number; message: string }[]> {
  const { rows } = await old.query(
    `SELECT id, message FROM logs WHERE account_id = 'a1' ORDER BY created_at DESC, id DESC LIMIT 1000 OFFSET 0`,
  )
  return rows
}

const messages = async () => (await listed()).map(({ message }) => message)
const now = () => new Date().toISOString()
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

test('a relay of the previous release keeps writing between and after the migrations, and no entry is lost', async () => {
  await write('old', daysAgo(40))
  for (const { name } of migrations.filter((one) => one.name >= BEFORE)) {
    await write(`before ${name}`, now())
    await migrate(empty.url, [...upTo(name), ...migrations.filter((one) => one.name === name)])
  }
  await write('after', now())
  const expected = [
    'after',
    ...migrations
      .filter((one) => one.name >= BEFORE)
      .map(({ name }) => `before ${name}`)
      .toReversed(),
  ]
  expect(await messages()).toEqual([...expected, 'old'])
  expect((await listed()).map(({ id }) => id)).toEqual(
    expected.map((_, index) => expected.length + 1 - index).concat(1),
  )
})

test('a relay of the previous release deletes entries and accounts in the new table', async () => {
  await write('old', daysAgo(40))
  await migrate(empty.url, migrations)
  await write('new', now())
  await write('of another account', now(), 'a2')
  const { rowCount } = await old.query(
    `DELETE FROM logs WHERE id IN (
       SELECT id FROM logs WHERE account_id = 'a1' AND created_at < $1 ORDER BY created_at LIMIT 1000)`,
    [daysAgo(30)],
  )
  expect(rowCount).toBe(1)
  expect(await messages()).toEqual(['new'])
  await old.query(`DELETE FROM accounts WHERE id = 'a1'`)
  expect((await old.query('SELECT account_id FROM logs')).rows).toEqual([{ account_id: 'a2' }])
})

test('a relay of the previous release still causes live events when it writes entries', async () => {
  await migrate(empty.url, migrations)
  await old.query(`INSERT INTO live_accounts (account_id, until, since_id) VALUES ('a1', now() + interval '1 hour', 0)`)
  await write('hello', now())
  const { rows } = await old.query('SELECT kind, data FROM live_events')
  expect(rows).toEqual([{ kind: 'log.added', data: expect.objectContaining({ message: 'hello' }) }])
})

test('entries that were written while a clock was ahead get the time of the migration', async () => {
  await write('ahead', daysAgo(-400))
  await write('now', now())
  await migrate(empty.url, migrations)
  const { rows } = await old.query('SELECT message, created_at <= now() AS "isPast" FROM logs ORDER BY message')
  expect(rows).toEqual([
    { message: 'ahead', isPast: true },
    { message: 'now', isPast: true },
  ])
})

test('the new table has the owner and the privileges of the old table', async () => {
  const name = new URL(empty.url).pathname.slice(1)
  const [owner, reader, column] = [`owner_${name}`, `reader_${name}`, `column_${name}`]
  await old.query(`CREATE ROLE ${owner}; CREATE ROLE ${reader}; CREATE ROLE ${column}`)
  try {
    await old.query(`GRANT SELECT ON logs TO ${reader} WITH GRANT OPTION; GRANT SELECT (message) ON logs TO ${column}`)
    await old.query(`GRANT CREATE ON SCHEMA public TO ${owner}; ALTER TABLE logs OWNER TO ${owner}`)
    await migrate(empty.url, migrations)
    const { rows } = await old.query(
      `SELECT has_table_privilege($1, 'logs', 'SELECT WITH GRANT OPTION') AS "canRead",
         has_table_privilege($1, 'logs', 'INSERT') AS "canWrite",
         has_column_privilege($2, 'logs', 'message', 'SELECT') AS "canReadColumn",
         has_column_privilege($2, 'logs', 'context', 'SELECT') AS "canReadOther"`,
      [reader, column],
    )
    expect(rows).toEqual([{ canRead: true, canWrite: false, canReadColumn: true, canReadOther: false }])
    const { rows: tables } = await old.query(
      `SELECT tablename AS name FROM pg_tables WHERE tableowner = $1 ORDER BY name`,
      [owner],
    )
    expect(tables.map((table) => table.name)).toEqual(['logs', 'logs_default', 'logs_initial'])
  } finally {
    await old.query(`DROP OWNED BY ${owner}, ${reader}, ${column} CASCADE; DROP ROLE ${owner}, ${reader}, ${column}`)
  }
})
