import { type Client, escapeIdentifier, escapeLiteral } from 'pg'

/** A table that is divided into partitions by a time. */
export interface PartitionedTable {
  readonly name: string
  /** The column with the time. */
  readonly column: string
}

/** The period of a partition. The partition does not contain its end. */
export interface Period {
  readonly from: Date
  readonly until: Date
}

export interface Partition {
  readonly name: string
  /** The start of the period. The first partition has no start. */
  readonly from: Date | null
  readonly until: Date
  /** The number of rows at the last ANALYZE; -1 before the first. */
  readonly rows: number
}

/** Reads the partitions of a table except the default partition, the oldest first. Takes no locks. */
export async function readPartitions(client: Client, { name }: PartitionedTable): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(
    `SELECT * FROM (
       SELECT c.relname AS name, c.reltuples AS rows,
         (regexp_match(bound, 'FROM [(]''(.*?)''[)]'))[1]::timestamptz AS "from",
         (regexp_match(bound, 'TO [(]''(.*?)''[)]'))[1]::timestamptz AS until
       FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       CROSS JOIN LATERAL pg_get_expr(c.relpartbound, c.oid) AS bound
       WHERE i.inhparent = $1::regclass
     ) AS found WHERE until IS NOT NULL ORDER BY until`,
    [name],
  )
  return rows
}

/**
 * Makes partitions in one transaction. `missing` receives the existing partitions and returns the periods of those to make.
 *
 * In the meantime, other transactions can run statements. Only for a few milliseconds at the end, two kinds of
 * statements have to wait: those that use the default partition, because PostgreSQL searches it for rows of the
 * periods, and those that change accounts, because of the foreign key.
 */
export async function makePartitions(
  client: Client,
  table: PartitionedTable,
  missing: (existing: readonly Partition[]) => readonly Period[],
): Promise<void> {
  await inTransaction(client, async () => {
    // Another relay that makes partitions waits here. The lock does not block other statements.
    await client.query(`LOCK TABLE ${escapeIdentifier(table.name)} IN SHARE UPDATE EXCLUSIVE MODE`)
    for (const period of missing(await readPartitions(client, table))) await client.query(partitionSql(table, period))
  })
}

/** Moves rows of the period from the default partition, where they are if the partition was not made in time. */
function partitionSql({ name, column }: PartitionedTable, { from, until }: Period): string {
  const day = from.toISOString().slice(0, 10).replaceAll('-', '')
  const [parent, partition, rest] = [name, `${name}_${day}`, `${name}_default`].map((one) => escapeIdentifier(one))
  const [start, end] = [from, until].map((time) => escapeLiteral(time.toISOString()))
  const time = escapeIdentifier(column)
  return `
    CREATE TABLE ${partition} (LIKE ${parent} INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
    WITH moved AS (DELETE FROM ${rest} WHERE ${time} >= ${start} AND ${time} < ${end} RETURNING *)
    INSERT INTO ${partition} SELECT * FROM moved;
    ALTER TABLE ${parent} ATTACH PARTITION ${partition} FOR VALUES FROM (${start}) TO (${end});`
}

/**
 * Drops a partition with all its rows. This needs a lock of the whole table, so it waits for all transactions that use the table.
 * `DETACH CONCURRENTLY` would not block new statements meanwhile, but PostgreSQL refuses it for a table with a default partition.
 */
export async function dropPartition(client: Client, { name }: Pick<Partition, 'name'>): Promise<void> {
  await inTransaction(client, () => client.query(`DROP TABLE IF EXISTS ${escapeIdentifier(name)}`))
}

/**
 * The longest wait for each lock. While a statement waits for an exclusive lock, later statements on the table wait for it, so this
 * is also the longest time for which a partition delays them.
 */
const LOCK_WAIT_MS = 200

async function inTransaction(client: Client, work: () => Promise<unknown>): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`)
    await work()
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}
