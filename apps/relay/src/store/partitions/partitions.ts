import { type Client, DatabaseError, escapeIdentifier, escapeLiteral } from 'pg'

/** A table that is divided into partitions by a time. */
export interface PartitionedTable {
  readonly name: string
  /** The column with the time. */
  readonly column: string
  /** A query for the longest time, in days, for which any row is kept. Its column is `days`. */
  readonly keptDays: string
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
 * Makes a partition, unless an existing one covers a part of the period. Rows of the period are moved from the default
 * partition, where they are if the partition was not made in time. They are visible all the time, because this is one
 * transaction.
 *
 * Statements of other transactions run in the meantime, except at the end, while PostgreSQL checks that no row of the
 * period is left in the default partition. Then these statements wait: those that write to the table, those that use
 * the default partition, and changes of accounts, because of the foreign key. If `isExcluded`, PostgreSQL has checked
 * this before, while they ran.
 */
export async function makePartition(
  client: Client,
  table: PartitionedTable,
  period: Period,
  isExcluded = false,
): Promise<void> {
  const { parent, create, move, checkExcluded, attach } = partitionSql(table, period)
  await inTransaction(client, async () => {
    // Another relay that makes partitions waits here. The lock does not block other statements. Without ONLY, it would
    // wait until autovacuum has finished with each partition.
    await client.query(`LOCK TABLE ONLY ${parent} IN SHARE UPDATE EXCLUSIVE MODE`)
    if ((await readPartitions(client, table)).some((one) => overlaps(one, period))) return
    await client.query(create)
    // Rows are added meanwhile, so each pass leaves fewer rows for the time of the lock.
    for (let pass = 1; pass <= MOST_PASSES; pass += 1) if (await isMoved()) break
    if (isExcluded) await client.query(checkExcluded)
    // Writers wait here, before PostgreSQL has chosen a partition for their rows. If they waited for the default
    // partition instead, their rows would violate its new bounds. Writers lock the table before its partitions, so this
    // is the same order.
    await client.query(`LOCK TABLE ONLY ${parent} IN SHARE ROW EXCLUSIVE MODE`)
    if (!isExcluded) await client.query(move)
    await client.query(attach)
  })

  async function isMoved(): Promise<boolean> {
    const { rowCount } = await client.query(move)
    return (rowCount ?? 0) <= FEW_ROWS
  }
}

/**
 * Makes a partition like `makePartition`, without the long wait for the search of a large default partition. During
 * this time, new rows of the period are refused (`isBeingMade`). So this is for periods in the future, which have rows
 * only if a clock is ahead.
 */
export async function makeFuturePartition(client: Client, table: PartitionedTable, period: Period): Promise<void> {
  const { exclude } = partitionSql(table, period)
  await endExclusions(client, table)
  await inTransaction(client, () => client.query(exclude))
  try {
    await makePartition(client, table, period, true)
  } finally {
    await endExclusions(client, table)
  }
}

/** Accepts all rows in the default partition again, also after a relay has been killed while it made a partition. */
export async function endExclusions(client: Client, { name }: PartitionedTable): Promise<void> {
  const rest = `${name}_default`
  const { rows } = await client.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint WHERE conrelid = $1::regclass AND starts_with(conname, $2)`,
    [rest, `${name}${EXCLUDES}`],
  )
  for (const constraint of rows)
    await inTransaction(client, () =>
      client.query(
        `ALTER TABLE ${escapeIdentifier(rest)} DROP CONSTRAINT IF EXISTS ${escapeIdentifier(constraint.name)}`,
      ),
    )
}

/** Returns true if a row was refused because its partition is being made at this moment. */
export function isBeingMade(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.code === CHECK_VIOLATION && error.constraint?.includes(EXCLUDES) === true
  )
}

/** Returns true if the default partition is so large that PostgreSQL needs long to search it. Takes no locks. */
export async function isDefaultLarge(client: Client, { name }: PartitionedTable): Promise<boolean> {
  const { rows } = await client.query<{ isLarge: boolean }>(
    `SELECT pg_relation_size($1::regclass) > ${LARGE_BYTES} AS "isLarge"`,
    [`${name}_default`],
  )
  return rows[0]?.isLarge ?? false
}

export const CHECK_VIOLATION = '23514'

/** A part of the names of the constraints that keep rows of a period out of the default partition. */
const EXCLUDES = '_default_excludes_'

/** PostgreSQL searches about 100 MB a second. */
const LARGE_BYTES = 1_000_000

/** Moving this number of rows takes some milliseconds. */
const FEW_ROWS = 100
const MOST_PASSES = 10

function overlaps({ from, until }: Partition, period: Period): boolean {
  return (from === null || from < period.until) && period.from < until
}

/** The indexes are made with the partition, so that they are not built while other statements wait. */
function partitionSql({ name, column }: PartitionedTable, { from, until }: Period) {
  const day = from.toISOString().slice(0, 10).replaceAll('-', '')
  const [parent, partition, rest] = [name, `${name}_${day}`, `${name}_default`].map((one) => escapeIdentifier(one))
  const [start, end] = [from, until].map((time) => escapeLiteral(time.toISOString()))
  const time = escapeIdentifier(column)
  const exclusion = escapeIdentifier(`${name}${EXCLUDES}${day}`)
  return {
    parent,
    create: `CREATE TABLE ${partition} (LIKE ${parent} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)`,
    move: `WITH moved AS (DELETE FROM ${rest} WHERE ${time} >= ${start} AND ${time} < ${end} RETURNING *)
      INSERT INTO ${partition} SELECT * FROM moved`,
    // Refuses new rows of the period. Existing rows are moved before they are checked.
    exclude: `ALTER TABLE ${rest} ADD CONSTRAINT ${exclusion} CHECK (${time} < ${start} OR ${time} >= ${end}) NOT VALID`,
    checkExcluded: `ALTER TABLE ${rest} VALIDATE CONSTRAINT ${exclusion}`,
    attach: `ALTER TABLE ${parent} ATTACH PARTITION ${partition} FOR VALUES FROM (${start}) TO (${end})`,
  }
}

export async function readKeptDays(client: Client, { keptDays }: PartitionedTable): Promise<number> {
  const { rows } = await client.query<{ days: number }>(keptDays)
  return rows[0]?.days ?? Infinity
}

/**
 * Drops a partition with all its rows, if its period ended before the retention of any row. Returns false if rows are
 * kept for longer than that. This is read under the lock, because a transaction that adds an account and its rows may
 * have held the lock before.
 *
 * The lock of the whole table waits for all transactions that use the table. `DETACH CONCURRENTLY` would not block new
 * statements meanwhile, but PostgreSQL refuses it for a table with a default partition.
 */
export async function dropPartition(
  client: Client,
  table: PartitionedTable,
  { name, until }: Partition,
  now: Date,
): Promise<boolean> {
  return inTransaction(client, async () => {
    await client.query(`LOCK TABLE ONLY ${escapeIdentifier(table.name)} IN ACCESS EXCLUSIVE MODE`)
    if (until > lastExpiry(now, await readKeptDays(client, table))) return false
    await client.query(`DROP TABLE IF EXISTS ${escapeIdentifier(name)}`)
    return true
  })
}

/** Deletes expired rows of the default partition, which is never dropped. Locks only these rows. */
export async function deleteExpiredFromDefault(client: Client, table: PartitionedTable, before: Date): Promise<void> {
  const rest = escapeIdentifier(`${table.name}_default`)
  const time = escapeIdentifier(table.column)
  for (;;) {
    const { rowCount } = await client.query(
      `DELETE FROM ${rest} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${rest} WHERE ${time} < $1 LIMIT ${DELETED_AT_ONCE}))`,
      [before],
    )
    if ((rowCount ?? 0) < DELETED_AT_ONCE) return
  }
}

const DELETED_AT_ONCE = 50_000

/** Rows that are older than this time have expired. */
export function lastExpiry(now: Date, keptDays: number): Date {
  return new Date(Math.max(now.getTime() - keptDays * DAY_MS, 0))
}

const DAY_MS = 86_400_000

/**
 * The longest wait for each lock. While a statement waits for an exclusive lock, later statements on the table wait for
 * it, so this is also the longest time for which a partition delays them.
 */
const LOCK_WAIT_MS = 200

async function inTransaction<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('BEGIN')
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`)
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}
