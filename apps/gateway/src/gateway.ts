import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Agent, startAgent } from '@smsgw/agent/agent'
import type { AgentConfig } from '@smsgw/agent/config'
import { AgentIdentity, identityFile } from '@smsgw/agent/link/agent-identity'
import { inThisProcess, socketInProcess } from '@smsgw/agent/link/in-process-socket'
import { findPlaces } from '@smsgw/agent/modems/find-places'
import { monotonicClock } from '@smsgw/agent/monotonic-clock'
import { tryOpenPort } from '@smsgw/agent/ports/try-open-port'
import type { Log } from '@smsgw/daemon/log'
import type { RelayConfig } from '@smsgw/relay/config'
import { startRelay } from '@smsgw/relay/relay'
import { VERSION } from '@smsgw/relay/version'
import { isSettled, modemLines } from './modem-lines.ts'
import { VirtualPhoneLine } from './virtual-port.ts'

export interface GatewayParts {
  readonly relay: RelayConfig
  readonly agent: AgentConfig
  /** Already ours alone. */
  readonly dataDir: string
  readonly log: Log
  readonly onPasswordChanged: (changed: { readonly username: string; readonly password: string }) => void
  /** Before what takes a while. */
  readonly onStage: (words: string) => void
  readonly onFatal: (error: Error) => void
}

export interface Gateway {
  readonly url: string
  /** No real modem was found, or none was wanted. */
  readonly isVirtual: boolean
  /** Each modem, in words. */
  readonly modems: () => readonly string[]
  readonly stop: () => Promise<void>
}

/** Relay and agent in one process; the link between them is a pair of functions. */
export async function startGateway({
  relay: relayConfig,
  agent: config,
  dataDir,
  log,
  onPasswordChanged,
  onStage,
  onFatal,
}: GatewayParts): Promise<Gateway> {
  onStage('looking for modems')
  const wanted = await wantedModems(config.MODEMS)
  const isVirtual = wanted.addresses.includes('virtual')
  const line = isVirtual ? new VirtualPhoneLine() : undefined
  onStage(databaseStage(relayConfig))
  const relay = await startRelay({
    config: relayConfig,
    log,
    isLocal: true,
    virtualPhone: line?.phones,
    onPasswordChanged,
  })
  const identity = AgentIdentity.load(join(dataDir, identityFile))
  const deviceId = await relay.adoptBuiltInDevice({ publicKey: identity.publicKey, name: hostname() || 'gateway' })
  if (identity.relay?.deviceId !== deviceId) identity.keep({ url: inThisProcess, deviceId })
  const agent = await startAgent({
    dataDir,
    version: VERSION,
    name: hostname() || 'gateway',
    clock: monotonicClock,
    identity,
    credential: undefined,
    relayUrl: inThisProcess,
    openSocket: socketInProcess((socket, address) => relay.acceptAgent(socket, address)),
    openModem: async (address) =>
      address === 'virtual' && line !== undefined ? { kind: 'opened', port: line.open() } : tryOpenPort(address),
    wanted,
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
    onFatal,
  })
  onStage(isVirtual ? 'starting a virtual modem' : 'waiting for the modem to answer')
  await settledModems(agent)
  return {
    url: relay.url,
    isVirtual,
    modems: () => modemLines(agent.status()),
    async stop() {
      relay.drain()
      await agent.stop()
      await relay.close()
    },
  }
}

function databaseStage({ DATABASE_URL: url, DATA_DIR: folder }: RelayConfig): string {
  if (url !== undefined) return 'reaching the database'
  return existsSync(join(folder, 'database')) ? 'starting the database' : 'making the database, this once'
}

/** The API is there already: whoever started it reads a better line when the modem has had a moment to say how it is. */
async function settledModems(agent: Agent): Promise<void> {
  const until = monotonicClock.nowMs() + MODEM_WAIT_MS
  while (!isSettled(agent.status()) && monotonicClock.nowMs() < until) await sleep(100)
}

const MODEM_WAIT_MS = 8_000

/** What is named; with `auto` what is plugged in, and a virtual one when that is nothing. */
async function wantedModems(
  modems: string,
): Promise<{ readonly auto: boolean; readonly addresses: readonly string[] }> {
  const named = modems
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const auto = named.includes('auto')
  const addresses = named.filter((address) => address !== 'auto')
  if (!auto || addresses.length > 0) return { auto, addresses }
  const { places } = await findPlaces({ auto: true, addresses: [] })
  return places.length > 0 ? { auto, addresses } : { auto, addresses: ['virtual'] }
}
