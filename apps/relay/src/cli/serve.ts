import { setTimeout as sleep } from 'node:timers/promises'
import { armCrashPoint } from '@smsgw/daemon/crash-point'
import { takeDataFolder } from '@smsgw/daemon/files/data-folder'
import { openLog } from '@smsgw/daemon/log/log'
import { runService, unlessStopping } from '@smsgw/daemon/termination'
import { VERSION } from '@smsgw/daemon/version'
import type { RelayConfig } from '../config.ts'
import { startRelay } from '../relay.ts'

/** Runs the relay until a signal arrives, then shuts it down. */
export async function serveRelay(config: RelayConfig): Promise<void> {
  const log = openLog(config.LOG_LEVEL, process.stdout)
  armCrashPoint(config.crashAt)
  const { url } = await runService({
    async start(stopping) {
      if (config.DATABASE_URL === undefined) takeDataFolder(config.DATA_DIR)
      // The start may be aborted at any point, because the next start completes or reverts its work.
      const relay = await unlessStopping(stopping, startRelay({ config, log }))
      return {
        url: relay.url,
        async stop() {
          relay.drain()
          await sleep(config.DRAIN_SECONDS * 1000)
          await relay.close()
        },
      }
    },
    onStopping: (signal) => log.info({ signal }, 'shutting down'),
    onStopped: () => log.info('shutdown complete'),
  })
  log.info({ url, version: VERSION }, 'relay listening')
}
