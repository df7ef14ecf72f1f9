import type { CommandLine } from '@smsgw/daemon/command-line'
import { takeDataFolder } from '@smsgw/daemon/files/data-folder'
import { openLog } from '@smsgw/daemon/log/log'
import { StartError } from '@smsgw/daemon/start-error'
import { processTerminal, type Terminal } from '@smsgw/daemon/terminal/terminal'
import { accountsCommand } from '../accounts/accounts-command.ts'
import { keysCommand } from '../auth/keys/keys-command.ts'
import { tokenCommand } from '../auth/tokens/token-command.ts'
import { existingArchivePath, newArchivePath } from '../backup/archive-path.ts'
import { ArchiveWriter } from '../backup/archive-writer.ts'
import { backupDatabase } from '../backup/backup-database.ts'
import { newHistory } from '../backup/new-history.ts'
import { restoreDatabase } from '../backup/restore-database.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { RelayConfig } from '../config.ts'
import { systemRandom } from '../random.ts'
import { openRelayStore, runningDatabase, withDatabase } from '../store/open-store.ts'
import { secretBox } from '../store/secret-box.ts'
import { tokenRules } from '../token-rules.ts'

/** Runs one command on the database of the relay. */
export async function runRelayCommand(config: RelayConfig, line: CommandLine): Promise<void> {
  if (line.name === 'restore') return await restoreRelay(config, line)
  const base = { box: secretBox(config.SERVER_SECRET, systemRandom), random: systemRandom, clock: systemClock }
  // Logs only warnings and errors, because standard output is for the result of the command.
  const log = openLog('warn', process.stderr)
  const running = { ...config, DATABASE_URL: runningDatabase(config), DATABASE_DIRECT_URL: undefined }
  const store = await openRelayStore({ ...base, log, config: running })
  try {
    const deps = {
      ...base,
      ...tokenRules(config),
      database: store.database,
      url: store.url,
      terminal: processTerminal,
    }
    await commandOf(line.name)(deps, line)
  } finally {
    await store.close()
  }
}

type CommandDeps = Parameters<typeof accountsCommand>[0] &
  Parameters<typeof tokenCommand>[0] &
  Parameters<typeof keysCommand>[0] &
  Parameters<typeof backupRelay>[0]

function commandOf(name: string): (deps: CommandDeps, line: CommandLine) => Promise<void> {
  if (name.startsWith('accounts ')) return accountsCommand
  if (name.startsWith('token ')) return tokenCommand
  if (name.startsWith('keys ')) return keysCommand
  if (name === 'migrate') return reportMigrated
  return backupRelay
}

/** Reports the migrations. The missing migrations were applied when the store was opened. */
async function reportMigrated(): Promise<void> {
  process.stdout.write('the database is up to date\n')
}

/** `npm run relay -- backup <file>` */
async function backupRelay(
  { url, clock, terminal }: { readonly url: string; readonly clock: Clock; readonly terminal: Terminal },
  { positionals }: CommandLine,
): Promise<void> {
  const path = newArchivePath(positionals[0] ?? '')
  const now = clock.now()
  const archive = new ArchiveWriter(path, now)
  try {
    const rows = await backupDatabase({ url, kind: 'relay', now, archive })
    await archive.finish()
    terminal.print(`${rows} rows written to ${path}; also keep SERVER_SECRET, which is not part of the backup`)
  } catch (error) {
    await archive.abandon()
    throw error
  }
}

/**
 * `npm run relay -- restore <file>`. The agents are not restored, so their data is newer than the restored database.
 * They report all events since the backup, and do not send messages again.
 */
async function restoreRelay(config: RelayConfig, { positionals }: CommandLine): Promise<void> {
  const path = existingArchivePath(positionals[0] ?? '')
  const log = openLog('warn', process.stderr)
  if (config.DATABASE_URL === undefined) takeDataFolder(config.DATA_DIR)
  const { rows, createdAt } = await withDatabase(config, log, (url) =>
    restoreDatabase({
      url,
      path,
      kind: 'relay',
      takeFile: ({ name }) =>
        Promise.reject(new StartError(`${path} contains ${name}, which is not part of a relay backup`)),
      adjust: (client) => newHistory(client, config.SERVER_SECRET),
    }),
  )
  processTerminal.print(`${rows} rows restored from the backup of ${createdAt}; you can start the relay now`)
}
