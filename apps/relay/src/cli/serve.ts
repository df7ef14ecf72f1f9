import { setTimeout as sleep } from 'node:timers/promises'
import { takeDataFolder } from '@smsgw/daemon/data-folder'
import { openLog } from '@smsgw/daemon/log'
import { onTermination } from '@smsgw/daemon/termination'
import type { RelayConfig } from '../config.ts'
import { crashPoints } from '../crash-point.ts'
import { type Relay, startRelay } from '../relay.ts'
import { VERSION } from '../version.ts'

/** Serves until a signal comes, then ends in good order. */
export async function serve(config: RelayConfig): Promise<void> {
  const log = openLog(config.LOG_LEVEL, process.stdout)
  crashPoints.aimAt(config.crashAt)
  let relay: Relay | undefined
  onTermination(async (signal) => {
    log.info({ signal }, 'ending')
    // A start may be broken off anywhere: the next one undoes or goes on with what this one had begun.
    if (relay === undefined) process.exit(0)
    relay.drain()
    await sleep(config.DRAIN_SECONDS * 1000)
    await relay.close()
    log.info('ended')
    process.exit(0)
  })
  if (config.DATABASE_URL === undefined) takeDataFolder(config.DATA_DIR)
  relay = await startRelay({ config, log })
  log.info({ url: relay.url, version: VERSION }, 'the relay is there')
}
