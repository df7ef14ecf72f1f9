import type { PoolClient } from 'pg'
import type { BenchDatabase } from '../bench-database.ts'

/** The rows that one statement inserts. */
const PORTION = 500_000
const REPORT_MS = 15_000

export interface BulkLoad {
  /** For progress and errors, such as `messages`. */
  readonly name: string
  readonly tables: readonly string[]
  readonly rows: number
  /** Inserts the rows with these keys. Each primary key must increase with the number of the row. */
  readonly insert: (client: PoolClient, firstKey: number, lastKey: number) => Promise<unknown>
}

/**
 * Fills empty tables in one transaction. Only primary keys keep their index during this time; the other indexes are
 * dropped and created again from sorted rows, which is faster and makes them a third smaller. The rows go to new files,
 * so PostgreSQL does not log them (`wal_level=minimal`). Triggers and foreign keys are off. No relay may run on the
 * database, because its polls would read the tables without indexes.
 */
export async function bulkLoad({ pool }: Pick<BenchDatabase, 'pool'>, load: BulkLoad): Promise<void> {
  const client = await pool.connect()
  const started = performance.now()
  const seconds = () => ((performance.now() - started) / 1000).toFixed()
  const report = (line: string) => {
    if (performance.now() - started > REPORT_MS) process.stderr.write(`${load.name}: ${line} after ${seconds()} s\n`)
  }
  try {
    const before = await definitionsOf(client, load.tables)
    await client.query('BEGIN')
    await client.query(`SET LOCAL session_replication_role = replica; SET LOCAL maintenance_work_mem = '1GB'`)
    await client.query(`SET LOCAL max_parallel_maintenance_workers = 0`)
    await requireEmpty(client, load.tables)
    await client.query(`TRUNCATE ${load.tables.join(', ')} CASCADE`)
    const indexes = await dropIndexes(client, load.tables)
    let reportedMs = performance.now()
    for (let first = 1; first <= load.rows; first += PORTION) {
      const last = Math.min(load.rows, first + PORTION - 1)
      await load.insert(client, first, last)
      if (performance.now() - reportedMs < REPORT_MS) continue
      reportedMs = performance.now()
      report(`${last} of ${load.rows} stored`)
    }
    for (const [index, { name, create }] of indexes.entries()) {
      await client.query(create)
      report(`index ${index + 1} of ${indexes.length} created (${name})`)
    }
    await client.query('COMMIT')
    const after = await definitionsOf(client, load.tables)
    if (after !== before) throw new Error(`${load.name}: the filled tables differ from before:\n${before}\n${after}`)
    await client.query(`SET maintenance_work_mem = '1GB'`)
    await client.query(`VACUUM (FREEZE, ANALYZE) ${load.tables.join(', ')}`)
    report('vacuumed')
  } finally {
    // Rolls back if the load failed.
    client.release(true)
  }
}

interface DroppedIndex {
  readonly name: string
  readonly drop: string
  readonly create: string
}

/** Drops all indexes except those of primary keys, which foreign keys of other tables need. */
async function dropIndexes(client: PoolClient, tables: readonly string[]): Promise<readonly DroppedIndex[]> {
  const { rows } = await client.query<DroppedIndex>(
    `SELECT i.relname AS name,
       CASE WHEN c.oid IS NULL THEN format('DROP INDEX %I', i.relname)
         ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', x.indrelid::regclass, c.conname) END AS drop,
       CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.oid)
         ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', x.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
         END AS create
     FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
     LEFT JOIN pg_constraint c ON c.conindid = x.indexrelid AND c.conrelid = x.indrelid
     WHERE x.indrelid = ANY($1::regclass[]) AND NOT x.indisprimary ORDER BY i.relname`,
    [tables],
  )
  for (const { drop } of rows) await client.query(drop)
  return rows
}

/** The columns, indexes, constraints and triggers of the tables, and the foreign keys to them, as text. */
async function definitionsOf(client: PoolClient, tables: readonly string[]): Promise<string> {
  const { rows } = await client.query<{ definition: string }>(
    `SELECT definition FROM (
       SELECT format('%s %s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull) AS definition
       FROM pg_attribute WHERE attrelid = ANY($1::regclass[]) AND attnum > 0 AND NOT attisdropped
       UNION ALL
       SELECT format('%s valid=%s ready=%s clustered=%s', pg_get_indexdef(indexrelid), indisvalid, indisready, indisclustered)
       FROM pg_index WHERE indrelid = ANY($1::regclass[])
       UNION ALL
       SELECT format('%s %s %s validated=%s', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated)
       FROM pg_constraint WHERE conrelid = ANY($1::regclass[]) OR confrelid = ANY($1::regclass[])
       UNION ALL
       SELECT format('%s %s', pg_get_triggerdef(oid), tgenabled)
       FROM pg_trigger WHERE tgrelid = ANY($1::regclass[]) AND NOT tgisinternal
     ) AS one ORDER BY definition`,
    [tables],
  )
  return rows.map(({ definition }) => definition).join('\n')
}

async function requireEmpty(client: PoolClient, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rowCount } = await client.query(`SELECT FROM ${table} LIMIT 1`)
    if (rowCount !== 0) throw new Error(`the table ${table} has rows: only empty tables can be filled`)
  }
}
