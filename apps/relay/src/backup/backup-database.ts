import { createHash } from 'node:crypto'
import { Client, escapeIdentifier } from 'pg'
import { VERSION } from '../version.ts'
import type { ArchiveWriter } from './archive-writer.ts'
import {
  type BackupChecks,
  type BackupDescription,
  checksFile,
  descriptionFile,
  pieceName,
} from './backup-description.ts'
import { copyOut } from './copy-rows.ts'
import { readTables } from './read-tables.ts'

const PIECE_BYTES = 4 << 20

export interface BackupOptions {
  readonly url: string
  readonly kind: BackupDescription['kind']
  readonly now: Date
  readonly archive: ArchiveWriter
  /** Called after the snapshot of the rows is taken: other data may be newer than the rows, never older. */
  readonly addFiles?: () => Promise<void>
}

/** Writes a consistent snapshot of the whole database while it stays in use. Returns the number of rows. */
export async function backupDatabase({ url, kind, now, archive, addFiles }: BackupOptions): Promise<number> {
  const client = new Client({ connectionString: url, application_name: 'smsgw backup' })
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
  { name, columns }: BackupDescription['tables'][number],
  archive: ArchiveWriter,
): Promise<BackupChecks['tables'][string]> {
  const hash = createHash('sha256')
  const sql = `COPY ${escapeIdentifier(name)} (${columns.map(escapeIdentifier).join()}) TO STDOUT`
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

/** Sequences are not transactional: their values are not older than the rows. */
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
