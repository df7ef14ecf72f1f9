import { existsSync, readdirSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asStarted, asTyped } from '@smsgw/daemon/as-typed'
import { takeDataFolder } from '@smsgw/daemon/data-folder'
import type { Log } from '@smsgw/daemon/log'
import { StartError } from '@smsgw/daemon/start-error'
import { existingArchivePath } from '@smsgw/relay/backup/archive-path'
import { distrustBuiltInDevice } from '@smsgw/relay/backup/distrust-built-in-device'
import { newHistory } from '@smsgw/relay/backup/new-history'
import type { ArchivedFile } from '@smsgw/relay/backup/read-archive'
import { restoreDatabase } from '@smsgw/relay/backup/restore-database'
import { withDatabase } from '@smsgw/relay/store/with-database'
import { keptFiles } from './backup-gateway.ts'
import type { DatabaseSettings } from './database-settings.ts'
import { abandonArrival, beginArrival, completeArrival } from './restored-folder.ts'

/** What a folder holds that nothing has been started in, or a restore that came to nothing. */
const harmless = ['lock', 'lock-journal', 'owner', 'arriving']

/** `npm run restore -- <file>`: into an empty folder. Whatever the box may have sent since the backup is not sent again. */
export async function restoreGateway(config: DatabaseSettings, args: readonly string[], log: Log): Promise<string> {
  const path = existingArchivePath(args, asTyped('gateway', 'restore smsgw.backup'))
  const folder = takeDataFolder(config.DATA_DIR).path
  const there = readdirSync(folder).filter((name) => !harmless.includes(name))
  if (there.length > 0)
    throw new StartError(
      `${folder} is not empty (${there.slice(0, 3).join(', ')}): a backup is restored into a new folder, set DATA_DIR to one`,
    )
  const arriving = beginArrival(folder)
  try {
    const { rows, createdAt } = await withDatabase({ ...config, DATA_DIR: arriving }, log, (url) =>
      restoreDatabase({
        url,
        path,
        kind: 'gateway',
        takeFile: (file) => keep(file, arriving),
        async adjust(client) {
          await newHistory(client, config.serverSecret ?? (await secretIn(arriving)))
          await distrustBuiltInDevice(client, new Date())
        },
      }),
    )
    completeArrival(folder)
    return `${rows} rows of ${createdAt} were restored into ${folder}; \`${asStarted('gateway')}\` goes on from there`
  } finally {
    abandonArrival(folder)
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
