import { join } from 'node:path'
import { takeDataFolder, tryDataFolder } from '@smsgw/daemon/data-folder'
import { openLog } from '@smsgw/daemon/log'
import { StartError } from '@smsgw/daemon/start-error'
import { accountsCommand } from '../accounts/accounts-command.ts'
import { processTerminal } from '../accounts/terminal.ts'
import { tokenCommand } from '../auth/token-command.ts'
import { systemClock } from '../clock.ts'
import type { RelayConfig } from '../config.ts'
import { systemRandom } from '../random.ts'
import { runningPostgres } from '../store/embedded/embedded-postgres.ts'
import { openStore } from '../store/open-store.ts'
import { secretBox } from '../store/secret-box.ts'
import { tokenRules } from '../token-rules.ts'

/** One command on the database of the relay, and nothing of the relay but that. */
export async function runCommand(config: RelayConfig, [name = '', ...args]: readonly string[]): Promise<void> {
  const command = commands.get(name)
  if (!command)
    throw new StartError(`there is no command ${JSON.stringify(name)}: ${[...commands.keys()].join(', ')}, or --help`)
  const base = { box: secretBox(config.SERVER_SECRET, systemRandom), random: systemRandom, clock: systemClock }
  // Standard output is the command's.
  const log = openLog('warn', process.stderr)
  const store = await openStore({ ...base, log, config: { ...config, DATABASE_URL: databaseUrl(config) } })
  try {
    await command({ ...base, ...tokenRules(config), database: store.database, terminal: processTerminal }, args)
  } finally {
    await store.close()
  }
}

type CommandNeeds = Parameters<typeof accountsCommand>[0] & Parameters<typeof tokenCommand>[0]

const commands = new Map<string, (needs: CommandNeeds, args: readonly string[]) => Promise<void>>([
  ['accounts', accountsCommand],
  ['token', tokenCommand],
])

/** Of an embedded database that a relay runs, that one; undefined: it is ours to start. */
function databaseUrl({ DATABASE_URL: url, DATA_DIR: folder }: RelayConfig): string | undefined {
  if (url !== undefined) return url
  if (!('heldBy' in tryDataFolder(folder))) return undefined
  const running = runningPostgres(join(folder, 'database'))
  // Its holder is starting or ending: whoever comes too early is told who that is.
  if (running === undefined) takeDataFolder(folder)
  return running
}
