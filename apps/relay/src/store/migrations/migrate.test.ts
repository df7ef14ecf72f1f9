import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emptyDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { type Migration, migrate, readMigrations } from './migrate.ts'

const FOLDER = join(import.meta.dirname, '../../../../../prisma/migrations')
const ONE: Migration = { name: '0001_one', sql: 'CREATE TABLE one (id int); INSERT INTO one VALUES (1);' }
const TWO: Migration = { name: '0002_two', sql: 'ALTER TABLE one ADD COLUMN name text' }

let empty: TestDatabase

beforeEach(async () => {
  empty = await emptyDatabase()
})

afterEach(() => empty.close())

test('applies missing migrations once and in order', async () => {
  expect(await migrate(empty.url, [ONE])).toEqual(['0001_one'])
  expect(await migrate(empty.url, [ONE, TWO])).toEqual(['0002_two'])
  expect(await migrate(empty.url, [ONE, TWO])).toEqual([])
  expect(await rows('SELECT id, name FROM one')).toEqual([{ id: 1, name: null }])
})

test('no migration analyses an empty table of messages, because sessions would keep plans for an empty table', async () => {
  await migrate(empty.url, readMigrations(FOLDER))
  const analysed =
    "SELECT relname FROM pg_class WHERE relname IN ('messages', 'recipients', 'inbox') AND reltuples >= 0"
  expect(await rows(analysed)).toEqual([])
})

test('records migrations as prisma migrate does', async () => {
  await migrate(empty.url, [ONE])
  const [row] = await rows('SELECT * FROM _prisma_migrations')
  expect(row).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    migration_name: '0001_one',
    finished_at: expect.any(Date),
    rolled_back_at: null,
    logs: null,
    applied_steps_count: 1,
  })
})

test('four processes that start at once migrate once, and all continue', async () => {
  const code = `
    const { migrate, readMigrations } = await import(${JSON.stringify(join(import.meta.dirname, 'migrate.ts'))})
    process.stdout.write(String((await migrate(process.argv[1], readMigrations(process.argv[2]))).length))
  `
  const results = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', code, empty.url, FOLDER], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let output = ''
      child.stdout.on('data', (chunk) => (output += chunk))
      const [exitCode] = await once(child, 'close')
      return { exitCode, applied: Number(output) }
    }),
  )
  expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0])
  const all = readMigrations(FOLDER).length
  expect(results.map(({ applied }) => applied).sort((a, b) => a - b)).toEqual([0, 0, 0, all])
})

test('a failed migration is reported, changes nothing, and is tried again by the next start', async () => {
  const broken = { name: '0002_two', sql: 'CREATE TABLE two (id int); SELECT 1/0;' }
  await expect(migrate(empty.url, [ONE, broken])).rejects.toThrow(
    'the database migration 0002_two failed and changed nothing: division by zero',
  )
  expect(await rows("SELECT FROM pg_tables WHERE tablename = 'two'")).toEqual([])
  expect(await migrate(empty.url, [ONE, TWO])).toEqual(['0002_two'])
})

test('a migration that prisma migrate left unfinished stops the start', async () => {
  await migrate(empty.url, [ONE])
  await rows(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ('x', 'y', '0002_two', 'boom')`,
  )
  await expect(migrate(empty.url, [ONE, TWO])).rejects.toThrow(
    '0002_two was started by prisma migrate and not completed: boom',
  )
})

test('accepts a database that a newer release has migrated', async () => {
  await migrate(empty.url, [ONE, TWO])
  expect(await migrate(empty.url, [ONE])).toEqual([])
})

test('refuses a database of another program before it writes anything', async () => {
  await rows('CREATE TABLE customers (id int)')
  await expect(migrate(empty.url, [ONE])).rejects.toThrow(/contains other data \(table customers\)/)
  expect(await rows("SELECT FROM pg_tables WHERE tablename = '_prisma_migrations'")).toEqual([])
})

test('reports a database user who may not create tables', async () => {
  const name = new URL(empty.url).pathname.slice(1)
  await rows(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  await expect(migrate(empty.url, [ONE])).rejects.toThrow(
    'the database cannot be migrated: cannot execute CREATE TABLE',
  )
})

test('queries keep running while a migration waits for a long transaction, and the migration is applied afterwards', async () => {
  await migrate(empty.url, [ONE])
  const reader = await connected()
  const lines: string[] = []
  try {
    await reader.query('BEGIN; SELECT FROM one')
    const migrated = migrate(empty.url, [ONE, TWO], { report: (line) => lines.push(line) })
    await waiting('ALTER TABLE')
    expect(await rows('SELECT id FROM one')).toEqual([{ id: 1 }])
    await reader.query('COMMIT')
    expect(await migrated).toEqual(['0002_two'])
  } finally {
    await reader.end()
  }
  expect(lines).toEqual(['database migration 0002_two waits for a lock: other transactions use its tables, retrying'])
})

test('a migration that gets no lock in time ends the start and changes nothing', async () => {
  await migrate(empty.url, [ONE])
  const reader = await connected()
  try {
    await reader.query('BEGIN; SELECT FROM one')
    await expect(migrate(empty.url, [ONE, TWO], { giveUpAfterMs: 0 })).rejects.toThrow(
      '0002_two failed and changed nothing: canceling statement due to lock timeout. End the long transactions',
    )
  } finally {
    await reader.end()
  }
  expect(await migrate(empty.url, [ONE, TWO])).toEqual(['0002_two'])
})

describe('an index that is built concurrently', () => {
  const INDEX = {
    name: '0003_index',
    sql: '-- Finds by id.\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS one_id ON one (id);',
  }
  const valid = () => rows("SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'one_id'::regclass")

  test('does not block writers, and is not blocked by starts that wait', async () => {
    await migrate(empty.url, [ONE])
    const writer = await connected()
    try {
      await writer.query('BEGIN; INSERT INTO one VALUES (2)')
      const starts = [migrate(empty.url, [ONE, INDEX]), migrate(empty.url, [ONE, INDEX])]
      await waiting('CREATE UNIQUE INDEX')
      await rows('INSERT INTO one VALUES (3)')
      await writer.query('COMMIT')
      expect((await Promise.all(starts)).flat()).toEqual(['0003_index'])
    } finally {
      await writer.end()
    }
    expect(await valid()).toEqual([{ valid: true }])
  })

  test('is built again after it was interrupted', async () => {
    await migrate(empty.url, [ONE])
    await rows('INSERT INTO one VALUES (1)')
    await expect(migrate(empty.url, [ONE, INDEX])).rejects.toThrow('0003_index failed: could not create unique index')
    expect(await valid()).toEqual([{ valid: false }])
    await rows('DELETE FROM one')
    expect(await migrate(empty.url, [ONE, INDEX])).toEqual(['0003_index'])
    expect(await valid()).toEqual([{ valid: true }])
  })

  test('leaves an invalid index that only a comment names', async () => {
    await migrate(empty.url, [ONE])
    await rows('INSERT INTO one VALUES (1)')
    await expect(rows('CREATE UNIQUE INDEX CONCURRENTLY one_other ON one (id)')).rejects.toThrow('one_other')
    await rows('DELETE FROM one')
    await migrate(empty.url, [ONE, { ...INDEX, sql: `-- See one_other.\n${INDEX.sql}` }])
    expect(
      await rows("SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'one_other'::regclass"),
    ).toHaveLength(1)
  })

  test('is recorded if only its record is missing', async () => {
    await migrate(empty.url, [ONE, INDEX])
    await rows("DELETE FROM _prisma_migrations WHERE migration_name = '0003_index'")
    expect(await migrate(empty.url, [ONE, INDEX])).toEqual(['0003_index'])
  })
})

describe('a migration that changes rows in portions', () => {
  const PORTIONS = {
    name: '0003_portions',
    sql: `-- Negates the ids.
DO $$ BEGIN
  WHILE EXISTS (SELECT FROM one WHERE id > 0) LOOP
    UPDATE one SET id = -10 / (id - 4) WHERE id = (SELECT min(id) FROM one WHERE id > 0);
    COMMIT;
    RAISE NOTICE '% rows left', (SELECT count(*) FROM one WHERE id > 0);
  END LOOP;
END $$;`,
  }

  test('commits each portion, reports its progress and continues after an error', async () => {
    await migrate(empty.url, [ONE])
    await rows('TRUNCATE one; INSERT INTO one VALUES (5), (6), (4)')
    await rows('ALTER TABLE one ADD CHECK (id <> -5)')
    const lines: string[] = []
    const start = () => migrate(empty.url, [ONE, PORTIONS], { report: (line) => lines.push(line) })
    await expect(start()).rejects.toThrow('0003_portions failed: division by zero')
    expect(lines).toEqual([])
    await rows('UPDATE one SET id = 7 WHERE id = 4')
    await expect(start()).rejects.toThrow('0003_portions failed: new row for relation "one" violates check constraint')
    expect(lines).toEqual(['database migration 0003_portions: 2 rows left'])
    await rows('ALTER TABLE one DROP CONSTRAINT one_id_check')
    expect(await start()).toEqual(['0003_portions'])
    expect(await rows('SELECT id FROM one ORDER BY id')).toEqual([{ id: -10 }, { id: -5 }, { id: -3 }])
  })
})

test('migrations keep relays of the previous release working, as docs/CONTRIBUTING.md requires', () => {
  for (const { name, sql } of readMigrations(FOLDER).filter((one) => one.name > '0010')) {
    const statements = sql.replace(/--.*/g, '')
    const created = [...statements.matchAll(/CREATE TABLE "?(\w+)/g)].map(([, table]) => table)
    for (const [statement, table] of statements.matchAll(
      /CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)[^;]* ON "?(\w+)[^;]*/g,
    ))
      expect(created, `${name}: ${statement}`).toContain(table)
    // A table may be renamed if the same migration creates another table with the old name, because the statements of
    // the previous release use that name.
    const kept = statements.replace(/ALTER (?:TABLE|INDEX) "(\w+)" RENAME TO [^;]*;/g, (rename, renamed) =>
      statements.includes(`CREATE TABLE "${renamed}"`) || statements.includes(`CREATE INDEX "${renamed}"`)
        ? ''
        : rename,
    )
    expect(kept, name).not.toMatch(/DROP (TABLE|COLUMN)|RENAME|SET NOT NULL|ALTER COLUMN/i)
    if (/CONCURRENTLY/.test(statements)) expect(statements.match(/;/g), name).toHaveLength(1)
    // A block commits in portions only if it is the only statement.
    if (/COMMIT/.test(statements)) expect(statements.trim(), name).toMatch(/^DO \$\$(?:(?!\$\$).)*\$\$;$/s)
  }
})

/** Waits until a statement that contains this text waits for a lock. */
async function waiting(statement: string): Promise<void> {
  const held = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%${statement}%' AND pid <> pg_backend_pid()`
  while ((await rows(held)).length === 0) await sleep(10)
}

async function connected(): Promise<Client> {
  const client = new Client({ connectionString: empty.url })
  await client.connect()
  return client
}

async function rows(sql: string): Promise<unknown[]> {
  const client = await connected()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
