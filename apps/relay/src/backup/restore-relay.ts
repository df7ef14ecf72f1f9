import { asTyped } from '@smsgw/daemon/as-typed'
import { takeDataFolder } from '@smsgw/daemon/data-folder'
import { openLog } from '@smsgw/daemon/log'
import { StartError } from '@smsgw/daemon/start-error'
import { processTerminal } from '../accounts/terminal.ts'
import type { RelayConfig } from '../config.ts'
import { withDatabase } from '../store/with-database.ts'
import { existingArchivePath } from './archive-path.ts'
import { newHistory } from './new-history.ts'
import { restoreDatabase } from './restore-database.ts'

/**
 * `npm run relay -- restore <file>`. The agents were not restored with it, and know more than this database does: each
 * tells what has happened since, and of what it is asked once more it sends nothing again.
 */
export async function restoreRelay(config: RelayConfig, args: readonly string[]): Promise<void> {
  const path = existingArchivePath(args, asTyped('relay', 'restore smsgw.backup'))
  const log = openLog('warn', process.stderr)
  if (config.DATABASE_URL === undefined) takeDataFolder(config.DATA_DIR)
  const { rows, createdAt } = await withDatabase(config, log, (url) =>
    restoreDatabase({
      url,
      path,
      kind: 'relay',
      takeFile: ({ name }) => Promise.reject(new StartError(`${path} holds ${name}, which belongs to no relay`)),
      adjust: (client) => newHistory(client, config.SERVER_SECRET),
    }),
  )
  processTerminal.print(`${rows} rows of ${createdAt} were restored; the relay can be started`)
}
