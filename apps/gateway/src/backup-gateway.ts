import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { identityFile } from '@smsgw/agent/link/agent-identity'
import { asTyped } from '@smsgw/daemon/as-typed'
import type { Log } from '@smsgw/daemon/log'
import { StartError } from '@smsgw/daemon/start-error'
import { newArchivePath } from '@smsgw/relay/backup/archive-path'
import { ArchiveWriter } from '@smsgw/relay/backup/archive-writer'
import { backupDatabase } from '@smsgw/relay/backup/backup-database'
import { databaseServer } from '@smsgw/relay/store/open-store'
import { runningDatabase } from '@smsgw/relay/store/running-database'
import type { DatabaseSettings } from './database-settings.ts'

/** In the data folder, and in a backup below `gateway/`. What is not there yet is left out. */
export const keptFiles = ['server-secret', 'credentials.json', identityFile, 'journal.db'] as const

/** `npm run backup -- <file>`: everything of this box, while it goes on. */
export async function backupGateway(config: DatabaseSettings, args: readonly string[], log: Log): Promise<string> {
  const path = newArchivePath(args, asTyped('gateway', 'backup smsgw.backup'))
  if (!existsSync(join(config.DATA_DIR, identityFile)))
    throw new StartError(`there is no gateway in ${config.DATA_DIR}: set DATA_DIR to the folder of the one to back up`)
  const running = runningDatabase(config)
  const server = running === undefined ? await databaseServer(config, log) : undefined
  const now = new Date()
  const archive = new ArchiveWriter(path, now)
  try {
    const url = running ?? server?.url ?? ''
    // The journal after the database: what that one has of it, it has too.
    const addFiles = () => addKeptFiles(config.DATA_DIR, path, archive)
    const rows = await backupDatabase({ url, kind: 'gateway', now, archive, addFiles })
    await archive.finish()
    return `${rows} rows, the journal of the modem, password and keys are in ${path}: keep it as safe as the box`
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
    await archive.add(`gateway/${name}`, name === 'journal.db' ? await copyOfJournal(file, path) : await readFile(file))
  }
}

/** As SQLite copies a database that is being written to; in a folder that nobody else may enter. */
async function copyOfJournal(file: string, path: string): Promise<Buffer> {
  const beside = mkdtempSync(`${path}.journal-`)
  const journal = new DatabaseSync(file, { readOnly: true })
  try {
    const copy = join(beside, 'journal.db')
    await backup(journal, copy)
    return await readFile(copy)
  } finally {
    journal.close()
    rmSync(beside, { recursive: true, force: true })
  }
}
