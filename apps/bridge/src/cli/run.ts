import { takeDataFolder } from '@smsgw/daemon/files/data-folder'
import { openLog } from '@smsgw/daemon/log/log'
import { runService } from '@smsgw/daemon/termination'
import type { BridgeConfig } from '../config.ts'
import { startBridge } from '../start-bridge.ts'

/** Runs the bridge until a termination signal. */
export async function runBridge(config: BridgeConfig): Promise<void> {
  const log = openLog(config.LOG_LEVEL, process.stdout)
  // Makes the state file private, because it contains messages.
  process.umask(0o077)
  await runService({
    async start() {
      const folder = takeDataFolder(config.DATA_DIR)
      const api = { url: config.SMSGW_URL, credentials: config.credentials }
      return await startBridge({ api, channels: config.channels, dataDir: folder.path, log })
    },
    onStopping: (signal) => log.info({ signal }, 'stopping'),
    onStopped: () => log.info('stopped'),
    stopLimitMs: 9_000,
  })
}
