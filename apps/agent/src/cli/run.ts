import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { armCrashPoint } from '@smsgw/daemon/crash-point'
import { takeDataFolder } from '@smsgw/daemon/files/data-folder'
import { openLog } from '@smsgw/daemon/log/log'
import { StartError } from '@smsgw/daemon/start-error'
import { runService } from '@smsgw/daemon/termination'
import { userCommand } from '@smsgw/daemon/user-command'
import { type AgentConfig, checkedRelayUrl } from '../config.ts'
import { AgentIdentity, identityFile } from '../link/agent-identity.ts'
import { webSocketTo } from '../link/web-socket.ts'
import { wantedModems } from '../modem-addresses.ts'
import { configuredOptions } from '../start/agent-options.ts'
import { startAgent } from '../start/start-agent.ts'

/** Runs the agent until a termination signal, then stops it cleanly. */
export async function runAgent(config: AgentConfig): Promise<void> {
  const log = openLog(config.LOG_LEVEL, process.stdout)
  // Only the owner may read new files, because they contain messages and keys.
  process.umask(0o077)
  armCrashPoint(config.crashAt)
  await runService({
    async start() {
      if (wantedModems(config).addresses.includes('virtual')) throw new StartError(noVirtualModem)
      const folder = takeDataFolder(config.DATA_DIR)
      mkdirSync(folder.path, { recursive: true, mode: 0o700 })
      const identity = AgentIdentity.load(join(folder.path, identityFile))
      const relayUrl = relayOf(config, identity)
      return await startAgent({
        ...configuredOptions(config, log),
        dataDir: folder.path,
        device: { name: config.DEVICE_NAME, identity, credential: config.ENROLMENT_TOKEN },
        relay: { url: relayUrl, openSocket: webSocketTo(relayUrl) },
        onFatal: (error) => {
          log.fatal(error.message)
          process.exit(1)
        },
      })
    },
    onStopping: (signal) => log.info({ signal }, 'stopping'),
    onStopped: () => log.info('stopped'),
    // Limits how long a hung modem can delay the stop.
    stopLimitMs: 9_000,
  })
}

function relayOf(
  { RELAY_URL: url, ENROLMENT_TOKEN: token, ALLOW_INSECURE_HTTP }: AgentConfig,
  identity: AgentIdentity,
): string {
  const known = url ?? identity.relay?.url
  const pairing = userCommand('agent', 'pair <url> <code>')
  if (known === undefined) {
    throw new StartError(`not paired with a relay. Run \`${pairing}\`, or set RELAY_URL and ENROLMENT_TOKEN`)
  }
  if (identity.relay === undefined && token === undefined) {
    throw new StartError(`not paired. Run \`${pairing}\`, or set ENROLMENT_TOKEN`)
  }
  return checkedRelayUrl(known, ALLOW_INSECURE_HTTP)
}

const noVirtualModem =
  'MODEMS contains "virtual", which only the gateway has. Write the port of a modem, for example MODEMS=/dev/ttyUSB2'
