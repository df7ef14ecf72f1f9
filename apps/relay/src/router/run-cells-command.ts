import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { openLog } from '@smsgw/daemon/log/log'
import { aboutOf } from '@smsgw/daemon/settings'
import { StartError } from '@smsgw/daemon/start-error'
import { processTerminal } from '@smsgw/daemon/terminal/terminal'
import { runService, unlessStopping } from '@smsgw/daemon/termination'
import { VERSION } from '@smsgw/daemon/version'
import { systemClock } from '../clock.ts'
import { type RelayConfig, relaySettingsSchema } from '../config.ts'
import { systemRandom } from '../random.ts'
import { waitForDatabase } from '../store/connection/wait-for-database.ts'
import { secretBox } from '../store/secret-box.ts'
import { longestToken } from '../token-rules.ts'
import { cellsCommand } from './cells/cells-command.ts'
import { prepareDirectory } from './directory/directory-schema.ts'
import { openPool } from './directory/open-pool.ts'
import { startRouter } from './start-router.ts'

const TIMEOUT_MS = 30_000

/** Runs `router`, or one of the commands `cells …`. */
export async function runCellsCommand(config: RelayConfig, line: CommandLine): Promise<void> {
  const { DIRECTORY_URL: directoryUrl } = config
  if (directoryUrl === undefined)
    throw new StartError(
      `DIRECTORY_URL is not set: set it to the database of the directory, for example ${aboutOf(relaySettingsSchema, 'DIRECTORY_URL').example}`,
    )
  if (line.name === 'router') return await serve({ ...config, directoryUrl })
  const waitMs = config.DATABASE_WAIT_SECONDS * 1000
  await waitForDatabase(directoryUrl, { waitMs, report: (text) => process.stderr.write(`${text}\n`) })
  const directory = openPool({
    ...{ url: directoryUrl, connections: 3, name: 'smsgw cells' },
    statementTimeoutMs: TIMEOUT_MS,
  })
  try {
    await prepareDirectory(directory)
    const deps = {
      directory,
      box: secretBox(config.SERVER_SECRET, systemRandom),
      random: systemRandom,
      clock: systemClock,
      terminal: processTerminal,
      databaseUrl: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
      longestTokenSeconds: longestToken(config),
    }
    await cellsCommand(deps, line)
  } finally {
    await directory.end()
  }
}

async function serve(config: RelayConfig & { readonly directoryUrl: string }): Promise<void> {
  const log = openLog(config.LOG_LEVEL, process.stdout)
  const { id, url } = await runService({
    async start(stopping) {
      const waitMs = config.DATABASE_WAIT_SECONDS * 1000
      await unlessStopping(stopping, waitForDatabase(config.directoryUrl, { waitMs, report: (text) => log.warn(text) }))
      const router = await unlessStopping(stopping, startRouter(config, log))
      return {
        id: router.id,
        url: router.url,
        async stop() {
          router.drain()
          await sleep(config.DRAIN_SECONDS * 1000)
          await router.close()
        },
      }
    },
    onStopping: (signal) => log.info({ signal }, 'shutting down'),
    onStopped: () => log.info('shutdown complete'),
  })
  log.info({ url, routerId: id, version: VERSION }, 'router listening')
}
