import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'
import { Client, DatabaseError } from 'pg'

/** The lock of `prisma migrate`, so that both wait for each other. */
const LOCK = 72707369

export interface Migration {
  readonly name: string
  readonly sql: string
}

/**
 * Applies the missing migrations like `prisma migrate deploy`, with its order, rows and lock. Concurrent starts wait for
 * each other. A database migrated by a newer release stays as it is.
 *
 * @returns the names of the applied migrations
 */
export async function migrate(url: string, migrations: readonly Migration[]): Promise<string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK])
    const known = await recorded(client)
    if (!migrations.some(({ name }) => known.has(name))) await refuseForeign(client)
    const missing = migrations.filter(({ name }) => !known.has(name))
    if (missing.length > 0) await client.query(TABLE)
    for (const migration of missing) await apply(client, migration)
    return missing.map(({ name }) => name)
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    throw new StartError(`the database cannot be migrated: ${error.message}`, { cause: error })
  } finally {
    await client.end() // releases the lock
  }
}

/** Reads the migrations: one folder each, applied in the order of their names. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, file: join(folder, name, 'migration.sql') }))
    .filter(({ file }) => existsSync(file))
    .map(({ name, file }) => ({ name, sql: readFileSync(file, 'utf8') }))
}

const TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`

async function recorded(client: Client): Promise<ReadonlySet<string>> {
  const { rows: tables } = await client.query("SELECT FROM pg_tables WHERE tablename = '_prisma_migrations'")
  if (tables.length === 0) return new Set()
  const { rows } = await client.query<{ name: string; finished: boolean; logs: string | null }>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS finished, logs
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  )
  const failed = rows.find(({ finished }) => !finished)
  if (failed)
    throw new StartError(
      `the database migration ${failed.name} was started by prisma migrate and not completed${failed.logs ? `: ${failed.logs}` : ''}. ` +
        'Fix the cause, run `prisma migrate resolve`, then start again',
    )
  return new Set(rows.map(({ name }) => name))
}

async function refuseForeign(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; table: string }>(
    `SELECT current_database() AS name, tablename AS table FROM pg_tables
      WHERE schemaname = current_schema() AND tablename <> '_prisma_migrations' LIMIT 1`,
  )
  for (const { name, table } of rows)
    throw new StartError(
      `the database ${name} contains other data (table ${table}): set DATABASE_URL to an empty database`,
    )
}

/** Applies a migration and records it in one transaction, so that a crash leaves both or neither. */
async function apply(client: Client, { name, sql }: Migration): Promise<void> {
  const checksum = createHash('sha256').update(sql).digest('hex')
  try {
    await client.query('BEGIN')
    await client.query(sql)
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    )
    await client.query('COMMIT')
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new StartError(`the database migration ${name} failed and changed nothing: ${problem}`, { cause: error })
  }
}
