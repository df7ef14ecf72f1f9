import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { takeDataFolder } from '@smsgw/daemon/data-folder'
import type { Log } from '@smsgw/daemon/log'
import { StartError } from '@smsgw/daemon/start-error'
import { existingArchivePath } from '@smsgw/relay/backup/archive-path'
import { distrustBuiltInDevice } from '@smsgw/relay/backup/distrust-built-in-device'
import { newHistory } from '@smsgw/relay/backup/new-history'
import type { ArchivedFile } from '@smsgw/relay/backup/read-archive'
import { restoreDatabase } from '@smsgw/relay/backup/restore-database'
import { databaseServer } from '@smsgw/relay/store/open-store'
import { reachDatabase } from '@smsgw/relay/store/reach-database'
import { keptFiles } from './backup-gateway.ts'
import type { DatabaseSettings } from './database-settings.ts'

/** What a folder holds that nothing has been started in. */
const harmless = ['lock', 'lock-journal', 'owner']

/** `npm run restore -- <file>`: into an empty folder. Whatever the box may have sent since the backup is not sent again. */
export async function restoreGateway(config: DatabaseSettings, args: readonly string[], log: Log): Promise<string> {
  const path = existingArchivePath(args, 'npm run restore --')
  const folder = takeDataFolder(config.DATA_DIR).path
  const there = readdirSync(folder).filter((name) => !harmless.includes(name))
  if (there.length > 0)
    throw new StartError(
      `${folder} is not empty (${there.slice(0, 3).join(', ')}): a backup is restored into a new folder, set DATA_DIR to one`,
    )
  const arriving = join(folder, 'arriving')
  mkdirSync(arriving, { mode: 0o700 })
  const server = await databaseServer(config, log)
  try {
    await reachDatabase(server.url, {
      waitMs: config.DATABASE_WAIT_SECONDS * 1000,
      report: (line) => log.warn(line),
    })
    const { rows, createdAt } = await restoreDatabase({
      url: server.url,
      path,
      kind: 'gateway',
      takeFile: (file) => keep(file, arriving),
      async adjust(client) {
        await newHistory(client, config.serverSecret ?? (await secretIn(arriving)))
        await distrustBuiltInDevice(client, new Date())
      },
    })
    for (const name of readdirSync(arriving)) renameSync(join(arriving, name), join(folder, name))
    await server.stop()
    return `${rows} rows of ${createdAt} were restored into ${folder}; npm start goes on from there`
  } catch (error) {
    await server.stop()
    // As it was before: what has begun to be restored is in nobody's way.
    await rm(join(folder, 'database'), { recursive: true, force: true })
    throw error
  } finally {
    await rm(arriving, { recursive: true, force: true })
  }
}

async function secretIn(folder: string): Promise<string> {
  const file = join(folder, 'server-secret')
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim()
  throw new StartError('SERVER_SECRET was given to that gateway from outside: set the same for the restore')
}

async function keep({ name, content }: ArchivedFile, folder: string): Promise<void> {
  const known = keptFiles.find((file) => name === `gateway/${file}`)
  if (known === undefined) throw new StartError(`the backup holds ${name}, which this release does not know`)
  const file = await open(join(folder, known), 'w', 0o600)
  try {
    for await (const chunk of content) await file.write(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}
