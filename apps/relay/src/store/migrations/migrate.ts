import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '@smsgw/daemon/start-error'
import { type Client, DatabaseError, escapeIdentifier } from 'pg'
import { databaseClient, NO_TIMEOUTS } from '../connection/database-client.ts'

/** The lock that `prisma migrate` uses, so that this command and a starting relay wait for each other. */
const LOCK = 72707369

export interface Migration {
  readonly name: string
  readonly sql: string
}

export interface MigrateOptions {
  /** How long a migration is retried while other transactions hold the locks that it needs. */
  readonly giveUpAfterMs?: number
  /** Receives a line for the operator while a migration waits. */
  readonly report?: (line: string) => void
}

/**
 * Applies the missing migrations and returns their names. Uses the same order, rows and lock as `prisma migrate
 * deploy`. Concurrent starts wait for each other. A database that a newer release has migrated is not changed.
 *
 * Other relays keep working in the meantime. While a statement waits for an exclusive lock, all later queries of the
 * table wait for the statement. So a migration waits at most LOCK_WAIT_MS. Then it is rolled back, so that other
 * queries can run, and it is tried again. A migration with CONCURRENTLY does not block queries, but cannot run in a
 * transaction, so its file contains only one statement. The same applies to a DO block that changes many rows and
 * commits after each portion.
 */
export async function migrate(
  url: string,
  migrations: readonly Migration[],
  { giveUpAfterMs = 600_000, report = () => undefined }: MigrateOptions = {},
): Promise<string[]> {
  const client = databaseClient({ url, options: NO_TIMEOUTS })
  await client.connect()
  try {
    await lock(client, report)
    const applied = await recorded(client)
    if (!migrations.some(({ name }) => applied.has(name))) await refuseForeign(client)
    const missing = migrations.filter(({ name }) => !applied.has(name))
    if (missing.length > 0) await client.query(TABLE)
    const giveUpAt = performance.now() + giveUpAfterMs
    for (const migration of missing) await applyWithRetries(client, migration, giveUpAt, report)
    return missing.map(({ name }) => name)
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    throw new StartError(`the database cannot be migrated: ${error.message}`, { cause: error })
  } finally {
    await client.end() // this releases the lock
  }
}

/** Reads the migrations. Each has its own folder, and the names of the folders determine their order. */
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

/**
 * Takes the lock by polling. A statement that waits for the lock would hold a snapshot, and CONCURRENTLY would wait for
 * the end of that snapshot.
 */
async function lock(client: Client, report: (line: string) => void): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [LOCK])
    if (rows[0]?.locked) return
    if (tries === 10) report('waiting for another process that migrates the database')
    await sleep(LOCK_POLL_MS)
  }
}

const LOCK_POLL_MS = 200
/**
 * The longest wait for a lock. It is longer than `deadlock_timeout`, after which PostgreSQL ends an autovacuum that
 * holds a required lock.
 */
const LOCK_WAIT_MS = 2_000
const LONGEST_PAUSE_MS = 8_000
/** The SQL states `lock_not_available` and `deadlock_detected`. */
const LOCK_ERRORS = ['55P03', '40P01']

async function applyWithRetries(
  client: Client,
  migration: Migration,
  giveUpAt: number,
  report: (line: string) => void,
): Promise<void> {
  for (let tries = 1, pauseMs = 1_000; ; tries += 1, pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const leftMs = giveUpAt - performance.now()
    try {
      if (isWithoutTransaction(migration)) await applyWithoutTransaction(client, migration, leftMs, report)
      else await applyInTransaction(client, migration)
      return
    } catch (error) {
      const isLocked = error instanceof DatabaseError && LOCK_ERRORS.includes(error.code ?? '')
      if (isLocked && leftMs > pauseMs) {
        await client.query('ROLLBACK')
        if (tries === 1)
          report(`database migration ${migration.name} waits for a lock: other transactions use its tables, retrying`)
        await sleep(pauseMs)
        continue
      }
      const problem = error instanceof Error ? error.message : String(error)
      const result = isWithoutTransaction(migration) ? 'failed' : 'failed and changed nothing'
      const advice = isLocked ? '. End the long transactions (see pg_stat_activity), then start again' : ''
      throw new StartError(`the database migration ${migration.name} ${result}: ${problem}${advice}`, { cause: error })
    }
  }
}

function isWithoutTransaction(migration: Migration): boolean {
  return isInPortions(migration) || /^(?:CREATE(?: UNIQUE)?|DROP) INDEX CONCURRENTLY /im.test(migration.sql)
}

/** Returns true if the migration is a DO block that commits after each portion of rows. */
function isInPortions({ sql }: Migration): boolean {
  return /^ *COMMIT;$/m.test(sql)
}

/**
 * Applies and records a migration in one transaction, so that after a crash it is either applied and recorded, or
 * neither.
 */
async function applyInTransaction(client: Client, migration: Migration): Promise<void> {
  await client.query('BEGIN')
  await client.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`)
  await client.query(migration.sql)
  await record(client, migration)
  await client.query('COMMIT')
}

/**
 * Applies a migration outside a transaction. After a crash, the statement may have been executed in part, or executed
 * but not recorded. So it contains IF (NOT) EXISTS, or skips rows that it has changed. An interrupted CREATE INDEX
 * leaves an invalid index, which is dropped first. A statement reports its progress with RAISE NOTICE.
 */
async function applyWithoutTransaction(
  client: Client,
  migration: Migration,
  leftMs: number,
  report: (line: string) => void,
): Promise<void> {
  const { rows } = await client.query<{ index: string }>(
    `SELECT relname AS index FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE NOT indisvalid AND relnamespace = current_schema()::regnamespace`,
  )
  await client.query(`SET lock_timeout = ${Math.max(1, Math.ceil(leftMs))}`)
  for (const { index } of rows)
    if (names(migration, index)) await client.query(`DROP INDEX CONCURRENTLY ${escapeIdentifier(index)}`)
  const reportProgress = ({ message }: { readonly message?: string | undefined }) => {
    if (isInPortions(migration)) report(`database migration ${migration.name}: ${message}`)
  }
  client.on('notice', reportProgress)
  try {
    await client.query(migration.sql)
  } finally {
    client.off('notice', reportProgress)
  }
  await record(client, migration)
}

/** Returns true if the migration creates or drops this index. A comment may name other indexes. */
function names({ sql }: Migration, index: string): boolean {
  const words = sql.replaceAll(/[";]/g, ' ').split(/\s+/)
  return words.some((word, at) => word === index && words[at - 1] === 'EXISTS')
}

async function record(client: Client, { name, sql }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, clock_timestamp(), 1)`,
    [randomUUID(), createHash('sha256').update(sql).digest('hex'), name],
  )
}
