import { join } from 'node:path'
import { SmsGateway, type SmsGatewayOptions } from '@smsgw/client'
import { takeDataFolder } from '@smsgw/daemon/files/data-folder'
import { type Log, openLog } from '@smsgw/daemon/log/log'
import { runService } from '@smsgw/daemon/termination'
import type { BridgeConfig, Channels } from './config.ts'
import { openState } from './state/bridge-state.ts'
import type { RunningChannel } from './state/channel.ts'
import type { ChannelReport } from './state/channel-state.ts'
import { RunningTime } from './state/running-time.ts'

export interface BridgeOptions {
  /** The gateway or relay, with the credentials of one account. */
  readonly api: SmsGatewayOptions
  readonly channels: Channels
  /** The data folder, which only this process uses. */
  readonly dataDir: string
  readonly log: Log
}

export interface Bridge {
  /** The state of each channel. */
  readonly reports: () => readonly ChannelReport[]
  readonly stop: () => Promise<void>
}

/** Short limits, because a command that the API does not answer must not block other commands. */
const COMMAND_LIMITS = { maxRetries: 0, timeoutMs: 15_000 }

/** Throws if a program that a channel needs is not installed. */
export async function requirePrograms({ chat }: Channels): Promise<void> {
  if (chat === undefined) return
  const { requireApprise } = await import('./chat/chat-sender.ts')
  await requireApprise(chat.CHAT_URLS)
}

/** Starts the channels between an account and other systems. Loads only enabled channels. */
export async function startBridge({ api, channels, dataDir, log }: BridgeOptions): Promise<Bridge> {
  const { mqtt, email, chat, smpp, mcp } = channels
  const database = openState(dataDir)
  const runningTime = new RunningTime(database, log)
  const { now } = runningTime
  const started: RunningChannel[] = []
  // The `fetch` function of a gateway adds the credentials of its account.
  const connect = ({ credentials = api.credentials, ...options }: Partial<SmsGatewayOptions>) =>
    new SmsGateway({ ...api, ...options, ...(credentials !== api.credentials && { fetch }), credentials })
  if (email !== undefined) {
    const { startEmailBridge } = await import('./email/start-email-bridge.ts')
    started.push(await startEmailBridge({ config: email, connect, database, now, log }))
  }
  if (mqtt !== undefined) {
    const { startMqttBridge } = await import('./mqtt/start-mqtt-bridge.ts')
    const commandApi = new SmsGateway({ ...api, ...COMMAND_LIMITS })
    started.push(startMqttBridge({ config: mqtt, api: new SmsGateway(api), commandApi, database, now, log }))
  }
  if (chat !== undefined) {
    const { startChatBridge } = await import('./chat/start-chat-bridge.ts')
    const { APPRISE, chatSender } = await import('./chat/chat-sender.ts')
    const sender = chatSender({ targets: chat.CHAT_URLS, folder: join(dataDir, 'chat'), program: APPRISE })
    started.push(startChatBridge({ config: chat, api: new SmsGateway(api), database, now, log, sender }))
  }
  if (smpp !== undefined) {
    const { startSmppBridge } = await import('./smpp/start-smpp-bridge.ts')
    started.push(await startSmppBridge({ config: smpp, connect, database, now, log }))
  }
  if (mcp !== undefined) {
    const { startMcpServer } = await import('./mcp/start-mcp-server.ts')
    started.push(await startMcpServer({ config: mcp, connect, log }))
  }
  return {
    reports: () => started.map((channel) => channel.report()),
    async stop() {
      await Promise.all(started.map((channel) => channel.stop()))
      runningTime.stop()
      database.close()
    },
  }
}

/** Runs the bridge until a termination signal. */
export async function runBridge(config: BridgeConfig): Promise<void> {
  const log = openLog(config.LOG_LEVEL, process.stdout)
  // Makes the state file private, because it contains messages.
  process.umask(0o077)
  await runService({
    async start() {
      await requirePrograms(config.channels)
      const folder = takeDataFolder(config.DATA_DIR)
      const api = { url: config.SMSGW_URL, credentials: config.credentials }
      return await startBridge({ api, channels: config.channels, dataDir: folder.path, log })
    },
    onStopping: (signal) => log.info({ signal }, 'stopping'),
    onStopped: () => log.info('stopped'),
    stopLimitMs: 9_000,
  })
}
