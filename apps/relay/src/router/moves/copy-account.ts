import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { copyIn, copyOut } from '../../backup/copy-rows.ts'
import { type AccountTable, accountTables } from './account-tables.ts'
import { readTableColumns } from './compare-tables.ts'
import { type NewestKeys, readNewest } from './fence-account.ts'

export interface CopyOptions {
  readonly source: Client
  readonly target: Client
  readonly accountId: string
  /** The time until which the target must accept tokens that were signed with the keys of the source. */
  readonly keysUntil: Date
}

export interface CopyResult {
  readonly rows: number
  readonly newest: NewestKeys
}

/**
 * Copies all rows of an account to another database, in one transaction there. Reads the source at one moment. The rows
 * first go to temporary tables, because the network and the number of rows must not prolong the time in which other
 * transactions of the target wait. Then they get new keys and are inserted. At the end, the count and a digest of each
 * table are compared with those of the source.
 */
export async function copyAccount({ source, target, accountId, keysUntil }: CopyOptions): Promise<CopyResult> {
  await source.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await target.query('BEGIN')
  try {
    const columns = await readTableColumns(target)
    const newest = await readNewest(source, accountId)
    const tables = accountTables.map((table) => withColumns(table, columns))
    for (const table of tables) await stage(source, target, table, accountId)
    for (const table of tables) await numberRows(target, table)
    for (const table of tables) await insert(target, table)
    // A trigger makes each new message unread.
    await target.query(
      `UPDATE inbox i SET is_unread = s.is_unread FROM move_inbox s JOIN move_keys_inbox k ON k.old = s.key
       WHERE i.key = k.new AND i.is_unread <> s.is_unread`,
    )
    let rows = 0
    for (const table of tables) rows += await verify(source, target, table, accountId)
    await copySigningKeys(source, target, keysUntil)
    await target.query('COMMIT')
    return { rows, newest }
  } catch (error) {
    await target.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    await source.query('ROLLBACK').catch(() => undefined)
  }
}

interface CopiedTable extends AccountTable {
  readonly columns: readonly string[]
}

function withColumns(table: AccountTable, columns: ReadonlyMap<string, readonly string[]>): CopiedTable {
  const { assigned = [] } = table
  return { ...table, columns: (columns.get(table.name) ?? []).filter((column) => !assigned.includes(column)) }
}

function rowsOf({ rows }: AccountTable, accountId: string): string {
  return rows.replaceAll('$account', escapeLiteral(accountId))
}

/** Copies the rows of a table to a temporary table in the target. */
async function stage(source: Client, target: Client, table: CopiedTable, accountId: string): Promise<void> {
  const { name } = table
  const columns = table.columns.map(escapeIdentifier).join()
  await target.query(
    `CREATE TEMPORARY TABLE move_${name} ON COMMIT DROP AS SELECT ${columns} FROM ${name} WITH NO DATA`,
  )
  const out = copyOut(source, `COPY (SELECT ${columns} FROM ${name} WHERE ${rowsOf(table, accountId)}) TO STDOUT`)
  await copyIn(target, `COPY move_${name} (${columns}) FROM STDIN`, out)
}

/** Assigns new keys in the order of the old keys. */
async function numberRows(target: Client, { name, key }: CopiedTable): Promise<void> {
  if (key === undefined) return
  await target.query(
    `CREATE TEMPORARY TABLE move_keys_${name} ON COMMIT DROP AS
     SELECT old, nextval(pg_get_serial_sequence('${name}', '${key}')) AS new
     FROM (SELECT ${key} AS old FROM move_${name} ORDER BY ${key}) AS ordered`,
  )
  await target.query(`CREATE UNIQUE INDEX ON move_keys_${name} (old); CREATE UNIQUE INDEX ON move_keys_${name} (new)`)
  await target.query(`ANALYZE move_${name}; ANALYZE move_keys_${name}`)
}

async function insert(target: Client, table: CopiedTable): Promise<void> {
  const { name, columns, key, converted = {} } = table
  const keys = keyColumns(table)
  const values = columns.map((column) => {
    if (converted[column] !== undefined) return converted[column]
    return keys.has(column) ? `k_${column}.new` : `s.${escapeIdentifier(column)}`
  })
  const joins = [...keys].map(
    ([column, other]) => `JOIN move_keys_${other} k_${column} ON k_${column}.old = s.${escapeIdentifier(column)}`,
  )
  await target.query(
    `INSERT INTO ${name} (${columns.map(escapeIdentifier).join()}) SELECT ${values.join()} FROM move_${name} s
     ${joins.join(' ')} ${key === undefined ? '' : `ORDER BY s.${key}`}`,
  )
}

/** Returns each column that contains keys, with the table that assigns these keys. */
function keyColumns({ name, key, refers = {} }: AccountTable): ReadonlyMap<string, string> {
  return new Map([...(key === undefined ? [] : [[key, name] as const]), ...Object.entries(refers)])
}

/** Compares the rows in the target with the rows in the source, by their old keys. Returns the number of rows. */
async function verify(source: Client, target: Client, table: CopiedTable, accountId: string): Promise<number> {
  const { name, converted = {} } = table
  const keys = keyColumns(table)
  const columns = table.columns.filter((column) => converted[column] === undefined)
  const plain = columns.map((column) => `t.${escapeIdentifier(column)}`)
  const mapped = columns.map((column) => (keys.has(column) ? `k_${column}.old` : `t.${escapeIdentifier(column)}`))
  const joins = [...keys].map(
    ([column, other]) => `LEFT JOIN move_keys_${other} k_${column} ON k_${column}.new = t.${escapeIdentifier(column)}`,
  )
  const where = `WHERE ${rowsOf(table, accountId).replace(/^/, 't.')}`
  const [before, after] = await Promise.all([
    digest(source, `SELECT ${plain.join()} FROM ${name} t ${where}`),
    digest(target, `SELECT ${mapped.join()} FROM ${name} t ${joins.join(' ')} ${where}`),
  ])
  if (before.rows !== after.rows || before.digest !== after.digest)
    throw new Error(
      `the copy of the table ${name} differs: ${before.rows} rows with digest ${before.digest} in the source, ` +
        `${after.rows} rows with digest ${after.digest} in the target. The account stays in its cell; report this error`,
    )
  return Number(after.rows)
}

/** Returns the number of rows and the sum of their hashes, which does not depend on their order. */
async function digest(client: Client, select: string): Promise<{ readonly rows: string; readonly digest: string }> {
  const { rows } = await client.query<{ rows: string; digest: string }>(
    `SELECT count(*)::text AS rows,
       coalesce(sum(('x' || substr(md5(one::text), 1, 15))::bit(60)::bigint), 0)::text AS digest
     FROM (${select}) AS one`,
  )
  return rows[0] ?? { rows: '', digest: '' }
}

/**
 * Copies the keys that signed the tokens of the account. The target verifies tokens with these keys, but signs none,
 * because its own keys are newer. A key that an earlier move copied stays valid for the tokens of this account too.
 */
async function copySigningKeys(source: Client, target: Client, until: Date): Promise<void> {
  const { rows } = await source.query<{
    kid: string
    jwk: object
    sealed: string
    createdAt: Date
    retiresAt: Date | null
  }>(
    `SELECT kid, public_jwk AS jwk, private_sealed AS sealed, created_at AS "createdAt", retires_at AS "retiresAt"
     FROM signing_keys`,
  )
  for (const { kid, jwk, sealed, createdAt, retiresAt } of rows)
    await target.query(
      `INSERT INTO signing_keys (kid, public_jwk, private_sealed, created_at, signs_from, retires_at)
       VALUES ($1, $2, $3, $4, 'epoch', $5)
       ON CONFLICT (kid) DO UPDATE SET retires_at = greatest(signing_keys.retires_at, excluded.retires_at)
         WHERE signing_keys.retires_at IS NOT NULL`,
      [kid, jwk, sealed, createdAt, retiresAt ?? until],
    )
}
