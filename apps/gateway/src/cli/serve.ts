import { networkInterfaces } from 'node:os'
import { readAgentConfig } from '@smsgw/agent/config'
import { bridgeAddressSettings, type Channels, readChannels } from '@smsgw/bridge/config'
import type { Bridge } from '@smsgw/bridge/start-bridge'
import { gatewayFolder } from '@smsgw/daemon/files/default-folder'
import { openLog } from '@smsgw/daemon/log/log'
import { readSecret, readSettings } from '@smsgw/daemon/settings'
import { runService } from '@smsgw/daemon/termination'
import { readRelayConfig } from '@smsgw/relay/config'
import { readGatewayAddress, storeGatewayAddress } from '../credentials-file.ts'
import { takeGatewayFolder } from '../data-folder.ts'
import { startGateway } from '../gateway.ts'
import { readSecrets, storeCredentials } from '../secrets.ts'
import { greeting, stageLine, welcome } from '../welcome.ts'

const STOP_LIMIT_MS = 15_000

/** Runs the gateway until a signal arrives. */
export async function serveGateway({ env }: NodeJS.Process, onFatal: (error: Error) => void): Promise<void> {
  process.umask(0o077)
  const folder = takeGatewayFolder(env['DATA_DIR'] || gatewayFolder)
  const secrets = readSecrets(folder.path, {
    serverSecret: readSecret(env, 'SERVER_SECRET'),
    password: readSecret(env, 'ADMIN_PASSWORD'),
  })
  // A start that failed, for example because the port was in use, has created the password but has not shown it.
  const isFirstStart = readGatewayAddress(folder.path) === undefined
  const agent = readAgentConfig(env)
  const relay = readRelayConfig({
    ...env,
    DATA_DIR: folder.path,
    SERVER_SECRET: secrets.serverSecret,
    SERVER_SECRET_FILE: undefined,
    ADMIN_USERNAME: secrets.username,
    ADMIN_PASSWORD: secrets.password,
    ADMIN_PASSWORD_FILE: undefined,
  })
  const channels = readChannels(env)
  if (channels !== undefined) {
    const { requirePrograms } = await import('@smsgw/bridge/start-bridge')
    await requirePrograms(channels)
    const { requireBridgeAddress } = await import('../local-bridge.ts')
    const { SMSGW_URL } = readSettings(bridgeAddressSettings, env)
    requireBridgeAddress({ SMSGW_URL, HOST: relay.HOST, TLS_CERT: relay.TLS_CERT })
  }
  // By default, a terminal shows only problems, and the log of a service contains all lines of level `info` and higher.
  const level = env['LOG_LEVEL'] ? relay.LOG_LEVEL : process.stdout.isTTY ? 'warn' : 'info'
  const log = openLog(level, process.stdout)
  process.stdout.write(greeting(folder.path))
  let { password } = secrets
  let bridge: Bridge | undefined
  const gateway = await runService({
    async start(stopping) {
      const started = await startGateway({
        relay,
        agent,
        dataDir: folder.path,
        log,
        onPasswordChanged(changed) {
          // Skips other accounts, because the file contains only the password of the first account.
          if (changed.username !== secrets.username) return
          password = changed.password
          try {
            storeCredentials(secrets.credentialsFile, changed)
          } catch (error) {
            log.error(
              { err: error },
              `password changed, but not written to ${secrets.credentialsFile}: the file still contains the previous password`,
            )
          }
        },
        bridge: { names: namesOf(channels), reports: () => bridge?.reports() ?? [] },
        onStage: (description) => process.stdout.write(stageLine(description)),
        onFatal,
        stopping,
      })
      if (channels === undefined) return started
      // The bridge is loaded only when it is used, because it takes memory.
      const { startLocalBridge } = await import('../local-bridge.ts')
      const local = await startLocalBridge({
        url: env['SMSGW_URL'] || started.url,
        credentials: () => ({ username: secrets.username, password }),
        channels,
        dataDir: folder.path,
        log,
      }).catch(async (error: unknown) => {
        await started.stop()
        throw error
      })
      bridge = local
      return {
        ...started,
        async stop() {
          await local.stop()
          await started.stop()
        },
      }
    },
    stopLimitMs: STOP_LIMIT_MS,
  })
  try {
    storeGatewayAddress(folder.path, gateway.url)
  } catch (error) {
    // For example, the disk is full. The gateway itself does not need the file.
    log.warn({ err: error }, 'address not stored: commands such as smsgw send need SMSGW_PASSWORD until the next start')
  }
  const { isTTY: isTerminal } = process.stdout
  const allowsInsecure = relay.ALLOW_INSECURE_HTTP
  const options = { isFirstStart, isTerminal, machine: networkAddresses(), allowsInsecure }
  process.stdout.write(welcome(gateway, secrets, options))
}

/** Returns the names of the enabled channels. */
function namesOf(channels: Channels | undefined): readonly string[] {
  return Object.entries(channels ?? {}).flatMap(([name, config]) => (config === undefined ? [] : [name]))
}

function networkAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address)
}
