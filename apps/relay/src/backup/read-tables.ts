import type { Client } from 'pg'
import type { BackupDescription } from './backup-description.ts'

type Table = BackupDescription['tables'][number]

/** Lists all tables with their columns, referenced tables first. */
export async function readTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { refersTo: string[] }>(
    `SELECT c.relname AS name,
            (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
              WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
            (SELECT coalesce(array_agg(r.relname::text), '{}') FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
              WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid) AS "refersTo"
       FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relname <> ALL ($1)
      ORDER BY c.relname`,
    [KEPT_OUT],
  )
  const sorted: Table[] = []
  const place = ({ name, columns, refersTo }: (typeof rows)[number]) => {
    if (sorted.some((table) => table.name === name)) return
    for (const other of rows.filter((row) => refersTo.includes(row.name))) place(other)
    sorted.push({ name, columns })
  }
  for (const row of rows) place(row)
  return sorted
}

/**
 * Tables without a backup: a restore writes the migrations itself, and live events are for present listeners and contain
 * transaction ids that have no meaning in another database.
 */
const KEPT_OUT = ['_prisma_migrations', 'live_events']
