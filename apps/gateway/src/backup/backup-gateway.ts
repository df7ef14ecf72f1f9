import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { deviceKeysFile } from '@smsgw/agent/encryption/device-keys'
import { identityFile } from '@smsgw/agent/link/agent-identity'
import type { Log } from '@smsgw/daemon/log/log'
import { StartError } from '@smsgw/daemon/start-error'
import { newArchivePath } from '@smsgw/relay/backup/archive-path'
import { ArchiveWriter } from '@smsgw/relay/backup/archive-writer'
import { backupDatabase } from '@smsgw/relay/backup/backup-database'
import type { RelayConfig } from '@smsgw/relay/config'
import { databaseServer, runningDatabase } from '@smsgw/relay/store/open-store'

/** Files of the data folder that a backup contains, under `gateway/`. Missing files are left out. */
export const keptFiles = ['server-secret', 'credentials.json', identityFile, deviceKeysFile, 'journal.db'] as const

/** `npm run backup -- <file>`: writes all data of the gateway to one file. The gateway may be running. */
export async function backupGateway(config: DatabaseSettings, file: string, log: Log): Promise<string> {
  const path = newArchivePath(file)
  if (!existsSync(join(config.DATA_DIR, identityFile)))
    throw new StartError(`no gateway data in ${config.DATA_DIR}. Set DATA_DIR to the data folder of the gateway`)
  const running = runningDatabase(config)
  const server = running === undefined ? await databaseServer(config, log) : undefined
  const now = new Date()
  const archive = new ArchiveWriter(path, now)
  try {
    const url = running ?? server?.url ?? ''
    // Adds the journal after the database, so that the journal contains every message that the database lists as
    // dispatched.
    const addFiles = () => addKeptFiles(config.DATA_DIR, path, archive)
    const rows = await backupDatabase({ url, kind: 'gateway', now, archive, addFiles })
    await archive.finish()
    return `Backup written to ${path}: ${rows} rows, journal, password and keys. It contains secrets, so store it safely.`
  } catch (error) {
    await archive.abandon()
    throw error
  } finally {
    await server?.stop()
  }
}

async function addKeptFiles(folder: string, path: string, archive: ArchiveWriter): Promise<void> {
  for (const name of keptFiles) {
    const file = join(folder, name)
    if (!existsSync(file)) continue
    await archive.add(`gateway/${name}`, name === 'journal.db' ? await copyJournal(file, path) : await readFile(file))
  }
}

/**
 * Copies the journal into a folder that only its owner can enter. Uses SQLite's backup, because the journal may be in
 * use.
 */
async function copyJournal(file: string, path: string): Promise<Buffer> {
  const temporary = mkdtempSync(`${path}.journal-`)
  const journal = new DatabaseSync(file, { readOnly: true })
  try {
    const copy = join(temporary, 'journal.db')
    await backup(journal, copy)
    return await readFile(copy)
  } finally {
    journal.close()
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** The relay settings that locate the data of a gateway. */
export const databaseSettings = {
  DATABASE_URL: true,
  DATABASE_DIRECT_URL: true,
  DATABASE_CONNECTIONS: true,
  DATABASE_WAIT_SECONDS: true,
  DATA_DIR: true,
} as const

export type DatabaseSettings = Pick<RelayConfig, keyof typeof databaseSettings> & {
  /** The configured secret. If undefined, the secret is in a file in DATA_DIR. */
  readonly serverSecret: string | undefined
}
