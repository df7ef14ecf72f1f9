import type { CommandLine } from '@smsgw/daemon/command-line'
import { takeDataFolder } from '@smsgw/daemon/files/data-folder'
import { openLog } from '@smsgw/daemon/log/log'
import { StartError } from '@smsgw/daemon/start-error'
import { processTerminal } from '@smsgw/daemon/terminal/terminal'
import type { RelayConfig } from '../config.ts'
import { withDatabase } from '../store/open-store.ts'
import { existingArchivePath } from './archive-path.ts'
import { newHistory } from './new-history.ts'
import { restoreDatabase } from './restore-database.ts'

/**
 * `npm run relay -- restore <file>`. The agents are not restored, so their data is newer than the restored database.
 * They report all events since the backup, and do not send messages again.
 */
export async function restoreRelay(config: RelayConfig, { positionals }: CommandLine): Promise<void> {
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
  processTerminal.print(`${rows} rows of ${createdAt} restored; you can start the relay now`)
}
