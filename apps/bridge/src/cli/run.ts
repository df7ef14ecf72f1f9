import { takeDataFolder } from '@smsgw/daemon/data-folder'
import { openLog } from '@smsgw/daemon/log'
import { StartError } from '@smsgw/daemon/start-error'
import { runService } from '@smsgw/daemon/termination'
import { type BridgeConfig, mqttConfig } from '../config.ts'
import { startBridge } from '../start-bridge.ts'

/** Runs the bridge until a termination signal. */
export async function run(config: BridgeConfig): Promise<void> {
  const log = openLog(config.LOG_LEVEL, process.stdout)
  // The state file holds messages.
  process.umask(0o077)
  const mqtt = mqttConfig(config)
  if (mqtt === undefined) throw new StartError('MQTT_URL must be set')
  await runService({
    async start() {
      const folder = takeDataFolder(config.DATA_DIR)
      const api = { url: config.SMSGW_URL, credentials: config.credentials }
      return startBridge({ api, mqtt, dataDir: folder.path, log })
    },
    onStopping: (signal) => log.info({ signal }, 'stopping'),
    onStopped: () => log.info('stopped'),
    stopLimitMs: 9_000,
  })
}
