import { SmsGateway, type SmsGatewayOptions } from '@smsgw/client'
import type { Log } from '@smsgw/daemon/log'
import type { MqttConfig } from './config.ts'
import { startMqttBridge } from './mqtt/start-mqtt-bridge.ts'
import { openState } from './state/bridge-state.ts'

export interface BridgeOptions {
  /** The gateway or relay, with the credentials of one account. */
  readonly api: SmsGatewayOptions
  readonly mqtt: MqttConfig
  /** Used by this process only. */
  readonly dataDir: string
  readonly log: Log
}

export interface Bridge {
  readonly stop: () => Promise<void>
}

/** Starts the channels between an account and other systems. */
export function startBridge({ api, mqtt, dataDir, log }: BridgeOptions): Bridge {
  const database = openState(dataDir)
  const channel = startMqttBridge({ config: mqtt, api: new SmsGateway(api), database, log })
  return {
    async stop() {
      await channel.stop()
      database.close()
    },
  }
}
