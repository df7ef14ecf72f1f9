import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentConfig } from '@smsgw/agent/config'
import { storedNotes } from '@smsgw/agent/journal/journal-file'
import { AgentIdentity, identityFile } from '@smsgw/agent/link/agent-identity'
import { inThisProcess, socketInProcess } from '@smsgw/agent/link/in-process-socket'
import { wantedModems } from '@smsgw/agent/modem-addresses'
import { findPlaces, type Wanted } from '@smsgw/agent/modems/discovery/find-places'
import { SimSlots, slotsNote } from '@smsgw/agent/modems/sim-slots'
import { tryOpenPort } from '@smsgw/agent/ports/open-port'
import { configuredOptions, emulationSettings } from '@smsgw/agent/start/agent-options'
import { type Agent, startAgent } from '@smsgw/agent/start/start-agent'
import type { AgentStatus } from '@smsgw/agent/status/agent-status'
import { monotonicClock } from '@smsgw/agent/time/monotonic-clock'
import type { Log } from '@smsgw/daemon/log/log'
import { unlessStopping } from '@smsgw/daemon/termination'
import type { RelayConfig } from '@smsgw/relay/config'
import { startRelay } from '@smsgw/relay/relay'
import { type BridgeState, bridgeHealth, bridgeStatus } from './bridge-health.ts'
import { VirtualPhoneLine } from './virtual-modem/virtual-phone-line.ts'

export interface GatewayOptions {
  readonly relay: RelayConfig
  readonly agent: AgentConfig
  /** The data folder, which this process has locked. */
  readonly dataDir: string
  readonly log: Log
  readonly onPasswordChanged: (changed: { readonly username: string; readonly password: string }) => void
  /** The state of the bridge, by the name of each channel. */
  readonly bridge: BridgeState
  /** Called before each step that takes some seconds. */
  readonly onStage: (description: string) => void
  readonly onFatal: (error: Error) => void
  /** A signal that is aborted if the process must stop during the start. */
  readonly stopping: AbortSignal
}

export interface RunningGateway {
  readonly url: string
  /** True if a virtual modem is used, because it is configured or because no real modem was found. */
  readonly isVirtual: boolean
  readonly status: () => AgentStatus
  readonly stop: () => Promise<void>
}

/** Starts a relay and an agent in one process, linked without a network connection. */
export async function startGateway({
  relay: relayConfig,
  agent: config,
  dataDir,
  log,
  onPasswordChanged,
  bridge,
  onStage,
  onFatal,
  stopping,
}: GatewayOptions): Promise<RunningGateway> {
  onStage('searching for modems')
  const wanted = await chooseModems(config, dataDir)
  const isVirtual = wanted.addresses.includes('virtual')
  const line = isVirtual ? new VirtualPhoneLine() : undefined
  onStage(databaseStage(relayConfig))
  // Aborts the start if the process must stop. The next start completes or reverts an aborted start.
  const relay = await unlessStopping(
    stopping,
    startRelay({
      config: relayConfig,
      log,
      isLocal: true,
      virtualPhone: line?.phones,
      components: bridgeHealth(bridge),
      onPasswordChanged,
    }),
  )
  const identity = AgentIdentity.load(join(dataDir, identityFile))
  const deviceId = await relay.adoptBuiltInDevice({ publicKey: identity.publicKey, name: hostname() || 'gateway' })
  if (identity.relay?.deviceId !== deviceId) identity.keep({ url: inThisProcess, deviceId })
  const options = configuredOptions(config, log)
  const agent = await startAgent({
    ...options,
    dataDir,
    device: { name: hostname() || 'gateway', identity, credential: undefined },
    relay: {
      url: inThisProcess,
      openSocket: socketInProcess((socket, address) => relay.acceptAgent(socket, address)),
    },
    modems: {
      ...options.modems,
      wanted,
      emulation: emulationSettings(config, wanted),
      open: async (address) =>
        address === 'virtual' && line !== undefined ? { kind: 'opened', port: line.open() } : tryOpenPort(address),
    },
    components: () => bridgeStatus(bridge),
    onFatal,
  })
  onStage(isVirtual ? 'starting a virtual modem' : 'waiting for the modem to answer')
  await waitForModems(agent, stopping)
  return {
    url: relay.url,
    isVirtual,
    status: () => agent.status(),
    async stop() {
      relay.drain()
      await agent.stop()
      await relay.close()
    },
  }
}

function databaseStage({ DATABASE_URL: url, DATA_DIR: folder }: RelayConfig): string {
  if (url !== undefined) return 'connecting to the database'
  return existsSync(join(folder, 'database')) ? 'starting the database' : 'creating the database (first start only)'
}

/** Waits for the modems so that the start-up output shows their state. The API already works. */
async function waitForModems(agent: Agent, stopping: AbortSignal): Promise<void> {
  const until = monotonicClock.nowMs() + MODEM_WAIT_MS
  while (!stopping.aborted && !areModemsSettled(agent.status()) && monotonicClock.nowMs() < until) await sleep(100)
}

const MODEM_WAIT_MS = 8_000

/**
 * Returns true if the state of each modem is settled. A modem is absent until its port has been opened for the first
 * time.
 */
export function areModemsSettled({ modems }: Pick<AgentStatus, 'modems'>): boolean {
  return modems.length > 0 && modems.every(({ state }) => !['absent', 'starting', 'searching'].includes(state ?? ''))
}

/**
 * With `MODEMS=auto`, adds a virtual modem if no real modem is connected and none has ever been used. If a real modem
 * was used before, messages wait for this modem, because it may be unplugged or may be found late.
 */
async function chooseModems(config: AgentConfig, dataDir: string): Promise<Wanted> {
  const wanted = wantedModems(config)
  if (!wanted.auto || wanted.addresses.length > 0) return wanted
  const { places } = await findPlaces(wanted)
  const slots = new SimSlots(storedNotes(join(dataDir, 'journal.db'))[slotsNote])
  return places.length > 0 || slots.hasRealModem ? wanted : { auto: true, addresses: ['virtual'] }
}
