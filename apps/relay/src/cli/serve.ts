import { setTimeout as sleep } from 'node:timers/promises'
import { armCrashPoint } from '@smsgw/daemon/crash-point'
import { takeDataFolder } from '@smsgw/daemon/data-folder'
import { openLog } from '@smsgw/daemon/log'
import { onTermination } from '@smsgw/daemon/termination'
import type { RelayConfig } from '../config.ts'
import { type Relay, startRelay } from '../relay.ts'
import { VERSION } from '../version.ts'

/** Runs the relay until a signal arrives, then shuts it down. */
export async function serve(config: RelayConfig): Promise<void> {
  const log = openLog(config.LOG_LEVEL, process.stdout)
  armCrashPoint(config.crashAt)
  let relay: Relay | undefined
  onTermination(async (signal) => {
    log.info({ signal }, 'shutting down')
    // A start may be aborted anywhere: the next start completes or reverts it.
    if (relay === undefined) process.exit(0)
    relay.drain()
    await sleep(config.DRAIN_SECONDS * 1000)
    await relay.close()
    log.info('shutdown complete')
    process.exit(0)
  })
  if (config.DATABASE_URL === undefined) takeDataFolder(config.DATA_DIR)
  relay = await startRelay({ config, log })
  log.info({ url: relay.url, version: VERSION }, 'relay listening')
}
