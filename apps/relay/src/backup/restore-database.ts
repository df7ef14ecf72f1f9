import { createHash } from 'node:crypto'
import { StartError } from '@smsgw/daemon/start-error'
import { userCommand } from '@smsgw/daemon/user-command'
import { type Client, DatabaseError, escapeIdentifier } from 'pg'
import { databaseClient, NO_TIMEOUTS } from '../store/connection/database-client.ts'
import { type Migration, migrate, readMigrations } from '../store/migrations/migrate.ts'
import { migrationsFolder } from '../store/migrations/migrations-folder.ts'
import {
  type BackupChecks,
  type BackupDescription,
  backupChecks,
  backupDescription,
  checksFile,
  descriptionFile,
  tableOfPiece,
} from './backup-description.ts'
import { copyIn } from './copy-rows.ts'
import { type ArchivedFile, readArchive } from './read-archive.ts'

export interface RestoreOptions {
  readonly url: string
  readonly path: string
  readonly kind: BackupDescription['kind']
  /** Handles files other than tables. */
  readonly takeFile: (file: ArchivedFile) => Promise<void>
  /** Called as the last step of the transaction. */
  readonly adjust: (client: Client, description: BackupDescription) => Promise<void>
}

export interface Restored {
  readonly createdAt: string
  readonly rows: number
}

/** Restores into an empty database in one transaction, then applies newer migrations. */
export async function restoreDatabase({ url, path, kind, takeFile, adjust }: RestoreOptions): Promise<Restored> {
  const files = readArchive(path)
  const description = await describedBy(await files.next(), path, kind)
  const ours = readMigrations(migrationsFolder())
  const client = databaseClient({ url, application_name: 'smsgw restore', options: NO_TIMEOUTS })
  await client.connect()
  try {
    await refuseFilled(client)
    await migrate(url, migrationsOf(description, ours))
    await client.query('BEGIN')
    const rows = await copyTables(client, files, description, takeFile)
    await adjust(client, description)
    await client.query('COMMIT')
    await migrate(url, ours)
    return { createdAt: description.createdAt, rows }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    throw new StartError(`the backup cannot be restored, and the database was not changed: ${error.message}`, {
      cause: error,
    })
  } finally {
    await files.return(undefined)
    await client.end()
  }
}

async function describedBy(
  { done, value: file }: IteratorResult<ArchivedFile>,
  path: string,
  kind: BackupDescription['kind'],
): Promise<BackupDescription> {
  if (done || file.name !== descriptionFile) throw new StartError(`${path} is not a backup of smsgw`)
  const result = backupDescription.safeParse(JSON.parse(await textOf(file)))
  if (!result.success)
    throw new StartError(
      `${path} was written by a newer release in a format that this release cannot read: install the newer release`,
    )
  if (result.data.kind === kind) return result.data
  const command = userCommand(result.data.kind, `restore ${path}`)
  throw new StartError(`${path} is the backup of a ${result.data.kind}: restore it with \`${command}\``)
}

function migrationsOf({ migrations, version }: BackupDescription, ours: readonly Migration[]): Migration[] {
  const known = ours.filter(({ name }) => migrations.includes(name))
  if (known.length === migrations.length) return known
  throw new StartError(
    `the backup was written by release ${version}, which is newer than this one: install that release`,
  )
}

/** Refuses a database that was used before, even if a relay only started once. */
async function refuseFilled(client: Client): Promise<void> {
  const { rows } = await client.query<{ database: string; table: string }>(
    `SELECT current_database() AS database, relname AS table FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'`,
  )
  for (const { database, table } of rows) {
    const { rowCount } = await client.query(`SELECT FROM ${escapeIdentifier(table)} LIMIT 1`)
    if (rowCount !== 0)
      throw new StartError(
        `the database ${database} is not empty (table ${table}): restore into a new database that no relay has used`,
      )
  }
}

async function copyTables(
  client: Client,
  files: AsyncGenerator<ArchivedFile>,
  { tables }: BackupDescription,
  takeFile: RestoreOptions['takeFile'],
): Promise<number> {
  const found = new Map<string, { rows: number; readonly hash: ReturnType<typeof createHash> }>()
  for (const { name } of tables) {
    found.set(name, { rows: 0, hash: createHash('sha256') })
    // Disables triggers, because the backup already contains the rows that the triggers wrote.
    await client.query(`ALTER TABLE ${escapeIdentifier(name)} DISABLE TRIGGER USER`)
  }
  let checks: BackupChecks | undefined
  let following: ArchivedFile | undefined
  for (;;) {
    const file = following ?? (await nextFile(files))
    following = undefined
    if (file === undefined) break
    const table = tableOfPiece(file.name)
    const described = tables.find(({ name }) => name === table)
    if (file.name === checksFile) checks = backupChecks.parse(JSON.parse(await textOf(file)))
    else if (table === undefined) await takeFile(file)
    else if (described === undefined)
      throw new StartError(
        `the backup has rows for the table ${table}, but its own list of tables does not name that table`,
      )
    else following = await copyTable(client, described, file, files, found)
  }
  if (checks === undefined)
    throw new StartError('the backup is incomplete: its end is missing, so nothing was restored')
  return await check(client, checks, found)
}

/** Restores all pieces of a table with one COPY, because a piece may end within a row. Returns the next file. */
async function copyTable(
  client: Client,
  { name, columns }: BackupDescription['tables'][number],
  first: ArchivedFile,
  files: AsyncGenerator<ArchivedFile>,
  found: ReadonlyMap<string, { rows: number; readonly hash: ReturnType<typeof createHash> }>,
): Promise<ArchivedFile | undefined> {
  const entry = found.get(name)
  let following: ArchivedFile | undefined
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let file: ArchivedFile | undefined = first; file !== undefined; file = await nextFile(files)) {
      if (tableOfPiece(file.name) !== name) {
        following = file
        return
      }
      for await (const chunk of file.content) {
        entry?.hash.update(chunk)
        yield chunk
      }
    }
  }
  const sql = `COPY ${escapeIdentifier(name)} (${columns.map(escapeIdentifier).join()}) FROM STDIN`
  const rows = await copyIn(client, sql, pieces())
  if (entry) entry.rows = rows
  return following
}

async function nextFile(files: AsyncGenerator<ArchivedFile>): Promise<ArchivedFile | undefined> {
  const { done, value } = await files.next()
  return done ? undefined : value
}

async function check(
  client: Client,
  checks: BackupChecks,
  found: ReadonlyMap<string, { readonly rows: number; readonly hash: ReturnType<typeof createHash> }>,
): Promise<number> {
  let sum = 0
  for (const [name, { rows, hash }] of found) {
    const wanted = checks.tables[name]
    if (wanted?.rows !== rows || wanted.sha256 !== hash.digest('hex'))
      throw new StartError(`the backup is damaged: wrong checksum of table ${name}, so nothing was restored`)
    await client.query(`ALTER TABLE ${escapeIdentifier(name)} ENABLE TRIGGER USER`)
    sum += rows
  }
  for (const [name, value] of Object.entries(checks.sequences))
    await client.query('SELECT setval($1::regclass, $2)', [escapeIdentifier(name), value])
  return sum
}

async function textOf(file: ArchivedFile): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of file.content) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}
