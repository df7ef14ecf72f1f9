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
import { openStore } from '../store/open-store.ts'
import { runningDatabase } from '../store/running-database.ts'
import { secretBox } from '../store/secret-box.ts'
import { tokenRules } from '../token-rules.ts'

/** One command on the database of the relay, and nothing of the relay but that. */
export async function runCommand(config: RelayConfig, [name = '', ...args]: readonly string[]): Promise<void> {
  const command = commands.get(name)
  if (name === 'restore') return await restoreRelay(config, args)
  if (!command)
    throw new StartError(
      `there is no command ${JSON.stringify(name)}: ${[...commands.keys(), 'restore'].join(', ')}, or --help`,
    )
  const base = { box: secretBox(config.SERVER_SECRET, systemRandom), random: systemRandom, clock: systemClock }
  // Standard output is the command's.
  const log = openLog('warn', process.stderr)
  const store = await openStore({ ...base, log, config: { ...config, DATABASE_URL: runningDatabase(config) } })
  try {
    const needs = {
      ...base,
      ...tokenRules(config),
      database: store.database,
      url: store.url,
      terminal: processTerminal,
    }
    await command(needs, args)
  } finally {
    await store.close()
  }
}

type CommandNeeds = Parameters<typeof accountsCommand>[0] &
  Parameters<typeof tokenCommand>[0] &
  Parameters<typeof backupRelay>[0]

const commands = new Map<string, (needs: CommandNeeds, args: readonly string[]) => Promise<void>>([
  ['accounts', accountsCommand],
  ['token', tokenCommand],
  ['backup', backupRelay],
])
