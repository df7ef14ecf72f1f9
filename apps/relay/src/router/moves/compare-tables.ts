import { StartError } from '@smsgw/daemon/start-error'
import type { Client } from 'pg'
import { accountTables } from './account-tables.ts'
import type { AccountMove } from './move-records.ts'

/**
 * Throws if the tables of the two cells differ. A column that only the source has would not be copied, so its values
 * would be lost.
 */
export async function refuseDifferentTables(
  source: Client,
  target: Client,
  move: Pick<AccountMove, 'source' | 'target'>,
): Promise<void> {
  const before = await readTables(source)
  const after = await readTables(target)
  const missing = [...before.columns].find((column) => !after.columns.has(column))
  const extra = [...after.columns].find((column) => !before.columns.has(column))
  if (before.migration === after.migration && missing === undefined && extra === undefined) return
  const columns = [
    ...(missing === undefined ? [] : [`only ${move.source} has the column ${missing}`]),
    ...(extra === undefined ? [] : [`only ${move.target} has the column ${extra}`]),
  ]
  throw new StartError(
    `the databases of the cells are of different releases: the last migration is ${before.migration} in ${move.source} and ` +
      `${after.migration} in ${move.target}${columns.map((text) => `; ${text}`).join('')}. ` +
      'Update the relays of both cells to the same release, then repeat the command',
  )
}

async function readTables(
  client: Client,
): Promise<{ readonly migration: string; readonly columns: ReadonlySet<string> }> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name DESC LIMIT 1',
  )
  const columns = await readTableColumns(client)
  const names = accountTables.flatMap(({ name }) => (columns.get(name) ?? []).map((column) => `${name}.${column}`))
  return { migration: rows[0]?.name ?? 'none', columns: new Set(names) }
}

/** Returns the columns of each table, in the order of the table. */
export async function readTableColumns(client: Client): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
     GROUP BY c.relname`,
  )
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}
