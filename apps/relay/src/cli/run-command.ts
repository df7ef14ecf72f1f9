import { openLog } from '@smsgw/daemon/log'
import { StartError } from '@smsgw/daemon/start-error'
import { accountsCommand } from '../accounts/accounts-command.ts'
import { processTerminal } from '../accounts/terminal.ts'
import { tokenCommand } from '../auth/token-command.ts'
import { backupRelay } from '../backup/backup-relay.ts'
import { restoreRelay } from '../backup/restore-relay.ts'
import { systemClock } from '../clock.ts'
import type { RelayConfig } from '../config.ts'
import { systemRandom } from '../random.ts'
import { openStore, runningDatabase } from '../store/open-store.ts'
import { secretBox } from '../store/secret-box.ts'
import { tokenRules } from '../token-rules.ts'

/** Runs one command on the database of the relay. */
export async function runCommand(config: RelayConfig, [name = '', ...args]: readonly string[]): Promise<void> {
  const command = commands.get(name)
  if (name === 'restore') return await restoreRelay(config, args)
  if (!command)
    throw new StartError(
      `unknown command ${JSON.stringify(name)}: use ${[...commands.keys(), 'restore'].join(', ')}, or --help`,
    )
  const base = { box: secretBox(config.SERVER_SECRET, systemRandom), random: systemRandom, clock: systemClock }
  // Standard output is for the result of the command.
  const log = openLog('warn', process.stderr)
  const store = await openStore({ ...base, log, config: { ...config, DATABASE_URL: runningDatabase(config) } })
  try {
    const deps = {
      ...base,
      ...tokenRules(config),
      database: store.database,
      url: store.url,
      terminal: processTerminal,
    }
    await command(deps, args)
  } finally {
    await store.close()
  }
}

type CommandDeps = Parameters<typeof accountsCommand>[0] &
  Parameters<typeof tokenCommand>[0] &
  Parameters<typeof backupRelay>[0]

const commands = new Map<string, (deps: CommandDeps, args: readonly string[]) => Promise<void>>([
  ['accounts', accountsCommand],
  ['token', tokenCommand],
  ['backup', backupRelay],
])
