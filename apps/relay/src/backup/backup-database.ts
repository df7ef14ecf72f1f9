import { createHash } from 'node:crypto'
import { VERSION } from '@smsgw/daemon/version'
import { type Client, escapeIdentifier } from 'pg'
import { databaseClient, NO_TIMEOUTS } from '../store/connection/database-client.ts'
import type { ArchiveWriter } from './archive-writer.ts'
import {
  type BackupChecks,
  type BackupDescription,
  checksFile,
  descriptionFile,
  pieceName,
} from './backup-description.ts'
import { copyOut } from './copy-rows.ts'

const PIECE_BYTES = 4 << 20

type Table = BackupDescription['tables'][number]

export interface BackupOptions {
  readonly url: string
  readonly kind: BackupDescription['kind']
  readonly now: Date
  readonly archive: ArchiveWriter
  /**
   * Called after the snapshot of the rows was taken. The data that this function adds may be newer than the rows, but
   * never older.
   */
  readonly addFiles?: () => Promise<void>
}

/** Writes a consistent snapshot of the whole database while it stays in use. Returns the number of rows. */
export async function backupDatabase({ url, kind, now, archive, addFiles }: BackupOptions): Promise<number> {
  const client = databaseClient({ url, application_name: 'smsgw backup', options: NO_TIMEOUTS })
  await client.connect()
  try {
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const tables = await readTables(client)
    const description: BackupDescription = {
      format: 1,
      kind,
      version: VERSION,
      createdAt: now.toISOString(),
      migrations: await migrationsOf(client),
      tables,
    }
    await archive.add(descriptionFile, json(description))
    const checks: BackupChecks = { tables: {}, sequences: await sequencesOf(client) }
    for (const table of tables) checks.tables[table.name] = await addTable(client, table, archive)
    await addFiles?.()
    await archive.add(checksFile, json(checks))
    return Object.values(checks.tables).reduce((sum, { rows }) => sum + rows, 0)
  } finally {
    await client.end()
  }
}

async function addTable(
  client: Client,
  { name, columns }: Table,
  archive: ArchiveWriter,
): Promise<BackupChecks['tables'][string]> {
  const hash = createHash('sha256')
  // With SELECT, because PostgreSQL refuses COPY for a table with partitions.
  const sql = `COPY (SELECT ${columns.map(escapeIdentifier).join()} FROM ${escapeIdentifier(name)}) TO STDOUT`
  const rows = copyOut(client, sql)
  let number = 0
  let piece: Buffer[] = []
  let bytes = 0
  const flush = async () => {
    const content = Buffer.concat(piece)
    hash.update(content)
    number += 1
    await archive.add(pieceName(name, number), content)
    piece = []
    bytes = 0
  }
  for (;;) {
    const { done, value } = await rows.next()
    if (done) {
      if (bytes > 0) await flush()
      return { rows: value, sha256: hash.digest('hex') }
    }
    piece.push(value)
    bytes += value.length
    if (bytes >= PIECE_BYTES) await flush()
  }
}

async function migrationsOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations
      WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`,
  )
  return rows.map(({ name }) => name)
}

/** Returns the values of the sequences. Sequences are not transactional, so their values may be newer than the rows. */
async function sequencesOf(client: Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `SELECT sequencename AS name, last_value::text AS value FROM pg_sequences
      WHERE schemaname = current_schema() AND last_value IS NOT NULL`,
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

function json(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`)
}

/** Lists all tables with their columns, referenced tables first. */
async function readTables(client: Client): Promise<Table[]> {
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
 * Tables that are not backed up. A restore applies the migrations again. Live events are only for clients that are
 * connected now, and their transaction ids have no meaning in another database.
 */
const KEPT_OUT = ['_prisma_migrations', 'live_events']
