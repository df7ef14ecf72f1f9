import type { CommandLine } from '@smsgw/daemon/command-line'
import { openLog } from '@smsgw/daemon/log/log'
import { processTerminal } from '@smsgw/daemon/terminal/terminal'
import { accountsCommand } from '../accounts/accounts-command.ts'
import { keysCommand } from '../auth/keys/keys-command.ts'
import { tokenCommand } from '../auth/tokens/token-command.ts'
import { backupRelay } from '../backup/backup-relay.ts'
import { restoreRelay } from '../backup/restore-relay.ts'
import { systemClock } from '../clock.ts'
import type { RelayConfig } from '../config.ts'
import { systemRandom } from '../random.ts'
import { openRelayStore, runningDatabase } from '../store/open-store.ts'
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
