import { existsSync, readdirSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { takeDataFolder } from '@smsgw/daemon/files/data-folder'
import type { Log } from '@smsgw/daemon/log/log'
import { StartError } from '@smsgw/daemon/start-error'
import { startCommand } from '@smsgw/daemon/user-command'
import { existingArchivePath } from '@smsgw/relay/backup/archive-path'
import { distrustBuiltInDevice } from '@smsgw/relay/backup/distrust-built-in-device'
import { newHistory } from '@smsgw/relay/backup/new-history'
import type { ArchivedFile } from '@smsgw/relay/backup/read-archive'
import { restoreDatabase } from '@smsgw/relay/backup/restore-database'
import { withDatabase } from '@smsgw/relay/store/open-store'
import { type DatabaseSettings, keptFiles } from './backup-gateway.ts'
import { abandonArrival, beginArrival, completeArrival } from './restored-folder.ts'

/**
 * A folder with only these names counts as empty: its lock, the remains of an interrupted restore and, in a checkout,
 * the folders of other programs.
 */
const ignoredNames = ['lock', 'lock-journal', 'owner', 'arriving', 'agent', 'emulator', 'relay']

/**
 * `npm run restore -- <file>`: restores into an empty folder. The restored gateway does not send messages that may have
 * been sent since the backup.
 */
export async function restoreGateway(config: DatabaseSettings, file: string, log: Log): Promise<string> {
  const path = existingArchivePath(file)
  const folder = takeDataFolder(config.DATA_DIR).path
  const existing = readdirSync(folder).filter((name) => !ignoredNames.includes(name))
  if (existing.length > 0)
    throw new StartError(
      `${folder} is not empty (${existing.slice(0, 3).join(', ')}). Set DATA_DIR to a new folder for the restore`,
    )
  const arriving = await beginArrival(folder)
  try {
    const { rows, createdAt } = await withDatabase({ ...config, DATA_DIR: arriving }, log, (url) =>
      restoreDatabase({
        url,
        path,
        kind: 'gateway',
        takeFile: (file) => writeFile(file, arriving),
        async adjust(client) {
          await newHistory(client, config.serverSecret ?? (await readServerSecret(arriving)))
          await distrustBuiltInDevice(client, new Date())
        },
      }),
    )
    completeArrival(folder)
    return `Restored ${rows} rows from the backup of ${createdAt} into ${folder}. Start the gateway with \`${startCommand('gateway')}\`.`
  } finally {
    abandonArrival(folder)
  }
}

async function readServerSecret(folder: string): Promise<string> {
  const file = join(folder, 'server-secret')
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim()
  throw new StartError(
    'the backup does not contain SERVER_SECRET, because this secret was set in the environment of the gateway. Set SERVER_SECRET to the same value for the restore',
  )
}

async function writeFile({ name, content }: ArchivedFile, folder: string): Promise<void> {
  const known = keptFiles.find((file) => name === `gateway/${file}`)
  if (known === undefined) throw new StartError(`the backup contains ${name}, which this release does not support`)
  const file = await open(join(folder, known), 'w', 0o600)
  try {
    for await (const chunk of content) await file.write(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}
