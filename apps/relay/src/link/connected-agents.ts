// Outbound path, step 6: finds the connection of the device. Next: connected-agent.ts.

import type { WakeHint } from '../hints/wake-hint.ts'
import { FairQueue } from '../limits/fair-queue.ts'
import type { ClaimAlong } from '../messages/accept/accept-messages.ts'
import { newId } from '../random.ts'
import { readSettingsOf } from '../settings/read-settings.ts'
import { everySecond } from '../store/every-second.ts'
import { polling } from '../store/raw-statements.ts'
import { AdmissionReads } from './admission-reads.ts'
import type { LinkStorage } from './agent-requests.ts'
import { ADMITTED_AT_ONCE, MOST_ARRIVING } from './arrival-limits.ts'
import type { AgentConnection } from './claim/agent-connection.ts'
import type { EndedConnection } from './claim/close-connections-statement.ts'
import { ConnectionCloser } from './claim/connection-closer.ts'
import { endRelayLease } from './claim/end-relay-leases-statement.ts'
import { findEndedConnections } from './claim/find-ended-connections-statement.ts'
import { findOldRelays } from './claim/find-old-relays-statement.ts'
import { findStaleSettings } from './claim/find-stale-settings-statement.ts'
import { findUnconnectedDevices } from './claim/find-unconnected-devices-statement.ts'
import { LEASE_MS } from './claim/lease.ts'
import { renewLeases } from './claim/renew-leases-statement.ts'
import { renewRelayLease } from './claim/renew-relay-lease-statement.ts'
import { type AgentSocket, ConnectedAgent, type ConnectedAgentDeps } from './connected-agent.ts'
import { findDevicesWithWork } from './dispatch/find-work-statement.ts'
import { drainPeriod, drainTimes } from './drain-times.ts'
import type { RoutedChallenge } from './routed-challenge.ts'
import { TelemetryRecorder } from './telemetry-recorder.ts'

export interface ConnectedAgentsDeps extends Omit<ConnectedAgentDeps, OwnDeps> {
  /** How many agents may write at the same time in order to be admitted. Each uses a database connection. */
  readonly arrivalsAtOnce: number
}

type OwnDeps = 'closer' | 'telemetry' | 'arrivals' | 'admissionWrites' | 'reads'

/**
 * All agents that are connected to this process. Hints report which agents have work. Because hints may be lost, due
 * commands and ended connections are polled every second, and settings every 20 seconds. The relay has one lease for
 * all its devices, and renews this lease every 20 seconds. The lease keeps every attached device online, so devices
 * without a connection are detached.
 */
export class ConnectedAgents {
  readonly #deps: ConnectedAgentsDeps & ConnectedAgentDeps
  readonly #sessions = new Set<ConnectedAgent>()
  readonly #byDevice = new Map<string, ConnectedAgent>()
  readonly #stopListening: () => void
  readonly #stopPolling: () => void
  readonly #renewing: NodeJS.Timeout
  #draining: NodeJS.Timeout | undefined
  /** The polls in progress. Each poll is identified by its warning. */
  readonly #polls = new Set<string>()
  /** Devices that the last read of the database showed as attached, although they had no connection then. */
  #unconnected: readonly EndedConnection[] = []
  #renewal: Promise<void> | undefined
  /**
   * True if the next poll has to renew the lease, or if another renewal must follow the present renewal, which may be
   * outdated.
   */
  #isRenewalDue = false
  /** The delivery worker's number that the last renewal stored. Other relays see this number. */
  #renewedNumber: number | undefined
  /** True if a relay of the previous release was running at the last renewal. */
  #hasOldRelays = false
  /** True if the last poll found a relay of the previous release, or a relay of this release that is starting. */
  #wasOldRelayFound = false

  constructor(deps: ConnectedAgentsDeps) {
    this.#deps = {
      ...deps,
      closer: new ConnectionCloser(deps.store),
      telemetry: new TelemetryRecorder(deps.store),
      arrivals: new FairQueue({ slots: ADMITTED_AT_ONCE, places: MOST_ARRIVING }),
      admissionWrites: new FairQueue({ slots: deps.arrivalsAtOnce, places: MOST_ARRIVING }),
      // Leaves connections for messages, if the database is slow.
      reads: new AdmissionReads({ ...deps.store, atOnce: deps.arrivalsAtOnce > 2 ? 2 : 1 }),
    }
    this.#stopListening = deps.store.hints.listen(
      (hint) => this.#onHint(hint),
      () => {
        this.#wakeAll()
        void this.#renew()
        void this.#findUnconnected()
        void this.#pushStaleSettings()
      },
    )
    void this.#renew()
    this.#stopPolling = everySecond(() => {
      void this.#wakeDue()
      void this.#closeEnded()
      this.#detachUnconnected()
      this.#deps.closer.retry()
      void this.#findOldRelays()
      const number = deps.relay.workerNumber()
      if (this.#isRenewalDue || (number !== undefined && number !== this.#renewedNumber)) void this.#renew()
    })
    this.#renewing = setInterval(() => {
      void this.#renew()
      void this.#findUnconnected()
      void this.#pushStaleSettings()
    }, LEASE_MS / 3)
  }

  get count(): number {
    return this.#byDevice.size
  }

  /** All connections, including sockets that are not authenticated yet. */
  get socketCount(): number {
    return this.#sessions.size
  }

  /**
   * Takes over an open socket. The relay sends the first frame on it: its own challenge, or the challenge of a router.
   */
  accept(socket: AgentSocket, address: string, challenge?: RoutedChallenge): Pick<ConnectedAgent, 'step'> {
    const { relayId } = this.#deps.relay
    const session = new ConnectedAgent(
      this.#deps,
      { socket, address, challenge: challenge ?? { relayId, nonce: newId(this.#deps.pairing.random) } },
      {
        onOpen: (opened) => this.#opened(opened),
        onOver: (over) => this.#over(over),
      },
    )
    this.#sessions.add(session)
    session.step({ kind: 'opened' })
    return session
  }

  /** Returns undefined if the device is not connected to this relay, or if no claim can begin now. */
  claimAlong(deviceId: string, isUrgent: boolean): ClaimAlong | undefined {
    return this.#byDevice.get(deviceId)?.claimAlong(isUrgent ? undefined : 'ordinary-sends')
  }

  /**
   * Asks all agents to reconnect to another relay. The reconnects are spread over at most this time. A load balancer
   * that has not noticed the drain yet may send an agent back to this relay. Such an agent is asked a second time, to
   * reconnect in the second half of the remaining time. Otherwise, all these agents would be disconnected together when
   * the relay closes. An agent is not asked a third time, because it pauses longer after each short connection.
   */
  drain(longestMs: number): void {
    const asked = new Set([...this.#byDevice.values()].filter(({ isOpen }) => isOpen))
    const period = drainPeriod(asked.size, longestMs)
    const endMs = performance.now() + period.toMs
    const askedAgain = new Set<string>()
    const times = drainTimes(asked.size, period).values()
    for (const session of asked) session.step({ kind: 'drain', reconnectAfterMs: times.next().value ?? 0 })
    this.#draining = setInterval(() => {
      const leftMs = Math.max(0, endMs - performance.now())
      for (const [deviceId, session] of this.#byDevice) {
        // A connection that is still being opened is asked at a later poll.
        if (!session.isOpen || asked.has(session) || askedAgain.has(deviceId)) continue
        askedAgain.add(deviceId)
        session.step({ kind: 'drain', reconnectAfterMs: Math.round((leftMs * (1 + Math.random())) / 2) })
      }
      if (leftMs === 0) clearInterval(this.#draining)
    }, POLL_MS)
  }

  /** Resolves when all connections are closed, in this process and in the database. */
  async close(): Promise<void> {
    this.#stopListening()
    this.#stopPolling()
    clearInterval(this.#renewing)
    clearInterval(this.#draining)
    for (const session of this.#sessions)
      session.step({ kind: 'refused', why: 'goodbye', reason: 'the relay is shutting down' })
    await Promise.all([this.#deps.closer.settled(), this.#deps.telemetry.stop(), this.#renewal])
    await this.#endLease()
  }

  /**
   * Two connections of a device may open at the same time, and their results may arrive in any order. The connection
   * with the higher epoch is used.
   */
  #opened(session: ConnectedAgent): void {
    if (session.connection === undefined) return
    const { deviceId, connEpoch } = session.connection
    const other = this.#byDevice.get(deviceId)
    if (other?.connection !== undefined && other.connection.connEpoch > connEpoch) {
      session.step({ kind: 'fenced' })
      return
    }
    this.#byDevice.set(deviceId, session)
    other?.step({ kind: 'fenced' })
  }

  #over(session: ConnectedAgent): void {
    this.#sessions.delete(session)
    const { deviceId } = session.connection ?? {}
    if (deviceId !== undefined && this.#byDevice.get(deviceId) === session) this.#byDevice.delete(deviceId)
  }

  /** Returns true when this relay has the socket of the device, so that no other relay needs the hint. */
  #onHint(hint: WakeHint): boolean {
    switch (hint.kind) {
      case 'wake': {
        const session = this.#byDevice.get(hint.deviceId)
        session?.step({ kind: 'wake', due: hint.due })
        return session !== undefined
      }
      case 'device-revoked': {
        // Lets the database decide, because an agent whose device was deleted stops until it is paired again.
        void this.#closeEnded()
        return this.#byDevice.has(hint.deviceId)
      }
      case 'superseded': {
        const session = this.#byDevice.get(hint.deviceId)
        if (session?.connection !== undefined && session.connection.connEpoch < hint.connEpoch) {
          session.step({ kind: 'fenced' })
        }
        return false
      }
      case 'settings-changed':
        void this.#pushSettings([hint.accountId])
        return false
      default:
        return false
    }
  }

  async #pushSettings(accountIds: readonly string[]): Promise<void> {
    const agents = Map.groupBy(this.#byDevice.values(), ({ connection }) => connection?.accountId)
    const concerned = accountIds.filter((accountId) => agents.has(accountId))
    if (concerned.length === 0) return
    try {
      for (const [accountId, settings] of await readSettingsOf(this.#deps.store.database, concerned))
        for (const agent of agents.get(accountId) ?? []) agent.sendSettings(settings)
    } catch (error) {
      this.#deps.store.log.warn({ err: error }, 'could not push settings to agents: database unavailable, retrying')
    }
  }

  /**
   * Handles a change of the relay's clock. Leases may have ended, and messages may have become due. Agents that use the
   * relay's clock get the new time, because otherwise their messages would expire too early or too late. No step waits
   * for a slow query.
   */
  clockChanged(): void {
    void this.#renew()
    for (const session of this.#byDevice.values()) session.sendTime()
    this.#wakeAll()
  }

  #wakeAll(): void {
    for (const session of this.#byDevice.values()) session.step({ kind: 'wake' })
  }

  #wakeDue(): Promise<void> {
    return this.#poll('could not read due commands: database unavailable, retrying', async ({ database, clock }) => {
      for (const deviceId of await findDevicesWithWork(
        polling(database, { isFirst: true }),
        this.#deps.relay.relayId,
        clock.now(),
      ))
        this.#byDevice.get(deviceId)?.step({ kind: 'wake' })
    })
  }

  /**
   * Closes connections of deleted devices, and older connections of a device, because the hint about either may be
   * lost.
   */
  #closeEnded(): Promise<void> {
    return this.#poll('could not read ended connections: database unavailable, retrying', async ({ database }) => {
      for (const { deviceId, connEpoch, isDeleted } of await findEndedConnections(
        polling(database, { isFirst: true }),
        this.#connections(),
      )) {
        const session = this.#byDevice.get(deviceId)
        if (session?.connection?.connEpoch === connEpoch) session.step({ kind: isDeleted ? 'revoked' : 'fenced' })
      }
    })
  }

  #findUnconnected(): Promise<void> {
    const warning = 'could not read which devices are not connected: database unavailable, retrying'
    const find = async ({ database, clock }: LinkStorage) => {
      const { relayId } = this.#deps.relay
      this.#unconnected = await findUnconnectedDevices(database, { relayId, now: clock.now() }, this.#connections())
    }
    return this.#poll(warning, find, true)
  }

  /**
   * Runs at the next poll after the devices were found. If the clock was set, a device may have been found while its
   * connection was being opened. At the next poll, this connection is known.
   */
  #detachUnconnected(): void {
    for (const device of this.#unconnected)
      if (this.#byDevice.get(device.deviceId)?.connection?.connEpoch !== device.connEpoch) this.#deps.closer.add(device)
    this.#unconnected = []
  }

  /**
   * Renews the leases of all devices soon after a relay of the previous release has started, because the older relay
   * sees the devices as offline until then. For about a second after its start, a relay of this release looks like an
   * older relay. So the relay must be found in two polls.
   */
  async #findOldRelays(): Promise<void> {
    if (this.#hasOldRelays) return
    await this.#poll(
      'could not read the releases of the other relays: database unavailable, retrying',
      async ({ database }) => {
        const { relayId, workerNumber } = this.#deps.relay
        const isFound = await findOldRelays(polling(database), { relayId, worker: workerNumber() })
        if (isFound && this.#wasOldRelayFound) this.#isRenewalDue = true
        this.#wasOldRelayFound = isFound
      },
    )
  }

  #connections(): AgentConnection[] {
    return [...this.#byDevice.values()].flatMap(({ connection }) => connection ?? [])
  }

  /** Sends settings whose hint was lost. */
  #pushStaleSettings(): Promise<void> {
    return this.#poll('could not read changed settings: database unavailable, retrying', async ({ database }) =>
      this.#pushSettings(await findStaleSettings(database, [...this.#byDevice.values()])),
    )
  }

  /**
   * Does the work. Skips it while the same work is in progress, and skips work for connected agents while there are
   * none.
   */
  async #poll(
    warning: string,
    work: (store: LinkStorage) => Promise<void>,
    isNeeded = this.#byDevice.size > 0,
  ): Promise<void> {
    if (this.#polls.has(warning) || !isNeeded) return
    this.#polls.add(warning)
    try {
      await work(this.#deps.store)
    } catch (error) {
      this.#deps.store.log.warn({ err: error }, warning)
    } finally {
      this.#polls.delete(warning)
    }
  }

  /** Renews the lease of this relay. After a failure, the renewal is tried again every second. */
  #renew(): Promise<void> {
    this.#isRenewalDue = true
    this.#renewal ??= this.#renewWhileDue().finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  async #renewWhileDue(): Promise<void> {
    try {
      while (this.#isRenewalDue) {
        this.#isRenewalDue = false
        await this.#renewOnce()
      }
    } catch (error) {
      this.#isRenewalDue = true
      this.#deps.store.log.warn(
        { err: error },
        'could not renew the lease of this relay: its devices may look offline until the database is back',
      )
    }
  }

  /**
   * Also renews the separate lease of each device while a relay of the previous release runs. The same applies if this
   * relay had no lease, because its devices may then be attached to no relay.
   */
  async #renewOnce(): Promise<void> {
    const { database, clock } = this.#deps.store
    const { relayId, workerNumber } = this.#deps.relay
    const lease = { leaseMs: LEASE_MS, now: clock.now() }
    const worker = workerNumber()
    const { isNew, hasOldRelays } = await renewRelayLease(database, { ...lease, relayId, worker })
    this.#renewedNumber = worker
    this.#hasOldRelays = hasOldRelays
    if (!isNew && !hasOldRelays) return
    await renewLeases(database, this.#connections(), { ...lease, relayId })
  }

  async #endLease(): Promise<void> {
    try {
      await endRelayLease(this.#deps.store.database, this.#deps.relay.relayId)
    } catch (error) {
      const warning = 'could not end the lease of this relay: its devices may look online for up to a minute'
      this.#deps.store.log.warn({ err: error }, warning)
    }
  }
}

const POLL_MS = 1_000
