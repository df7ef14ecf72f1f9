import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { asTyped } from '@smsgw/daemon/as-typed'
import { takeDataFolder } from '@smsgw/daemon/data-folder'
import { openLog } from '@smsgw/daemon/log'
import { StartError } from '@smsgw/daemon/start-error'
import { onTermination } from '@smsgw/daemon/termination'
import { type Agent, startAgent } from '../agent.ts'
import { type AgentConfig, checkedRelayUrl, wantedModems } from '../config.ts'
import { crashPoints } from '../crash-point.ts'
import { AgentIdentity, identityFile } from '../link/agent-identity.ts'
import { webSocketTo } from '../link/web-socket.ts'
import { monotonicClock } from '../monotonic-clock.ts'
import { tryOpenPort } from '../ports/try-open-port.ts'
import { VERSION } from '../version.ts'

/** Sends and receives until a signal comes, then ends in good order. */
export async function run(config: AgentConfig): Promise<void> {
  const log = openLog(config.LOG_LEVEL, process.stdout)
  let agent: Agent | undefined
  onTermination(async (signal) => {
    log.info({ signal }, 'ending')
    // What is at a modem gets its answer; a modem that hangs is waited for no longer than this.
    setTimeout(() => process.exit(0), stopLimitMs).unref()
    await agent?.stop()
    log.info('ended')
    process.exit(0)
  })
  // Messages and keys: whatever is written is its owner's alone.
  process.umask(0o077)
  crashPoints.aimAt(config.crashAt)
  const folder = takeDataFolder(config.DATA_DIR)
  mkdirSync(folder.path, { recursive: true, mode: 0o700 })
  const identity = AgentIdentity.load(join(folder.path, identityFile))
  const relayUrl = relayOf(config, identity)
  agent = await startAgent({
    dataDir: folder.path,
    version: VERSION,
    name: config.DEVICE_NAME,
    clock: monotonicClock,
    identity,
    credential: config.ENROLMENT_TOKEN,
    relayUrl,
    openSocket: webSocketTo(relayUrl),
    openModem: tryOpenPort,
    wanted: wantedModems(config),
    pinOf: (simNumber) => config.sims.get(simNumber)?.pin,
    phoneNumberOf: (simNumber) => config.sims.get(simNumber)?.number,
    passphrase: config.ENCRYPTION_PASSPHRASE,
    limits: {
      doubtWindowMs: config.IN_DOUBT_SECONDS * 1000,
      destinationHoldMs: config.IN_DOUBT_HOLD_SECONDS * 1000,
      lifeMs: config.MESSAGE_LIFE_SECONDS * 1000,
    },
    log: {
      info: (message) => log.info(message),
      warn: (message) => log.warn(message),
      error: (message) => log.error(message),
    },
    onFatal: (error) => {
      log.fatal(error.message)
      process.exit(1)
    },
  })
}

const stopLimitMs = 9_000

function relayOf(
  { RELAY_URL: url, ENROLMENT_TOKEN: token, ALLOW_INSECURE_HTTP }: AgentConfig,
  identity: AgentIdentity,
): string {
  const known = url ?? identity.relay?.url
  const pairing = asTyped('agent', 'pair <url> <code>')
  if (known === undefined) {
    throw new StartError(`this agent belongs to no relay yet: \`${pairing}\`, or set RELAY_URL and ENROLMENT_TOKEN`)
  }
  if (identity.relay === undefined && token === undefined) {
    throw new StartError(`this agent is not paired yet: \`${pairing}\`, or set ENROLMENT_TOKEN`)
  }
  return checkedRelayUrl(known, ALLOW_INSECURE_HTTP)
}
