import { FairQueue } from '../limits/fair-queue.ts'
import { newId, type Random } from '../random.ts'
import { readSettings } from '../settings/read-settings.ts'
import { AgentSession, type AgentSessionNeeds, type AgentSocket, LEASE_MS } from './agent-session.ts'
import { Departures } from './departures.ts'
import { findWork } from './find-work.ts'
import { renewLeases } from './renew-leases.ts'
import { staleSettings } from './stale-settings.ts'
import type { WakeHint } from './wake-hint.ts'

export interface AgentSocketsNeeds extends Omit<AgentSessionNeeds, 'departures' | 'arrivals'> {
  /** Agents that are let in at the same time, each with a connection to the database. */
  readonly arrivalsAtOnce: number
  readonly random: Random
}

/**
 * All agents that are connected to this process. Hints tell which of them has something to do; that may fail, so there is
 * a look every second at what is due, and every twenty at whether each is still the connection of its device and knows
 * the settings.
 */
export class AgentSockets {
  readonly #needs: AgentSocketsNeeds & AgentSessionNeeds
  readonly #sessions = new Set<AgentSession>()
  readonly #byDevice = new Map<string, AgentSession>()
  readonly #stopListening: () => void
  readonly #polling: NodeJS.Timeout
  readonly #renewing: NodeJS.Timeout
  #isLooking = false
  #isChecking = false

  constructor(needs: AgentSocketsNeeds) {
    this.#needs = {
      ...needs,
      departures: new Departures(needs),
      arrivals: new FairQueue({ slots: needs.arrivalsAtOnce, places: MOST_ARRIVING }),
    }
    this.#stopListening = needs.hints.listen(
      (hint) => this.#hear(hint),
      () => this.#lookAgain(),
    )
    this.#polling = setInterval(() => void this.#look(), POLL_MS)
    this.#renewing = setInterval(() => void this.#check(), LEASE_MS / 3)
  }

  get count(): number {
    return this.#byDevice.size
  }

  /** With those that nobody knows yet. */
  get socketCount(): number {
    return this.#sessions.size
  }

  /** A socket has been opened; the relay speaks first. */
  accept(socket: AgentSocket, address: string): Pick<AgentSession, 'step'> {
    const nonce = newId(this.#needs.random)
    const session = new AgentSession(
      this.#needs,
      { socket, address, nonce },
      {
        onOpen: (opened) => this.#opened(opened),
        onOver: (over) => this.#over(over),
      },
    )
    this.#sessions.add(session)
    session.step({ kind: 'opened' })
    return session
  }

  /**
   * Every agent is asked to leave, each at another moment of this time. Who comes all the same, because a load balancer
   * has not noticed, is served to the end.
   */
  drain(spreadMs: number): void {
    for (const session of this.#byDevice.values()) {
      session.step({ kind: 'drain', reconnectAfterMs: Math.round(Math.random() * spreadMs) })
    }
  }

  /** Returns when nobody is connected any more, here and in the database. */
  async close(): Promise<void> {
    this.#stopListening()
    clearInterval(this.#polling)
    clearInterval(this.#renewing)
    for (const session of this.#sessions) session.step({ kind: 'refused', why: 'goodbye', reason: 'the relay ends' })
    await this.#needs.departures.settled()
  }

  /** Of two that open at the same time the answers of the database may come in any order: the epoch tells. */
  #opened(session: AgentSession): void {
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

  #over(session: AgentSession): void {
    this.#sessions.delete(session)
    const { deviceId } = session.connection ?? {}
    if (deviceId !== undefined && this.#byDevice.get(deviceId) === session) this.#byDevice.delete(deviceId)
  }

  /** True: the socket that it is about is here, and nobody else needs to hear it. */
  #hear(hint: WakeHint): boolean {
    switch (hint.kind) {
      case 'wake': {
        const session = this.#byDevice.get(hint.deviceId)
        session?.step({ kind: 'wake' })
        return session !== undefined
      }
      case 'device-revoked': {
        const session = this.#byDevice.get(hint.deviceId)
        session?.step({ kind: 'revoked' })
        return session !== undefined
      }
      case 'superseded': {
        const session = this.#byDevice.get(hint.deviceId)
        if (session?.connection !== undefined && session.connection.connEpoch < hint.connEpoch) {
          session.step({ kind: 'fenced' })
        }
        return false
      }
      case 'settings-changed':
        void this.#pushSettings(hint.accountId)
        return false
      default:
        return false
    }
  }

  async #pushSettings(accountId: string): Promise<void> {
    const concerned = [...this.#byDevice.values()].filter(({ connection }) => connection?.accountId === accountId)
    if (concerned.length === 0) return
    try {
      const settings = await readSettings(this.#needs.database, accountId)
      for (const session of concerned) session.tellSettings(settings)
    } catch (error) {
      this.#needs.log.warn({ err: error }, 'agents will get the new settings later')
    }
  }

  /** Hints may have been lost. */
  #lookAgain(): void {
    for (const session of this.#byDevice.values()) session.step({ kind: 'wake' })
    void this.#check()
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#byDevice.size === 0) return
    this.#isLooking = true
    try {
      const { database, relayId, clock } = this.#needs
      for (const deviceId of await findWork(database, relayId, clock.now())) {
        this.#byDevice.get(deviceId)?.step({ kind: 'wake' })
      }
    } catch (error) {
      this.#needs.log.warn({ err: error }, 'what waits for devices could not be looked up')
    } finally {
      this.#isLooking = false
    }
  }

  async #check(): Promise<void> {
    const { database, clock, log } = this.#needs
    const sessions = [...this.#byDevice.values()]
    const connections = sessions.flatMap(({ connection }) => connection ?? [])
    if (this.#isChecking || connections.length === 0) return
    this.#isChecking = true
    try {
      const lost = new Set(await renewLeases(database, connections, { leaseMs: LEASE_MS, now: clock.now() }))
      for (const session of sessions) {
        if (session.connection !== undefined && lost.has(session.connection)) session.step({ kind: 'fenced' })
      }
      for (const accountId of await staleSettings(database, sessions)) await this.#pushSettings(accountId)
    } catch (error) {
      log.warn({ err: error }, 'devices may look offline: their leases could not be renewed')
    } finally {
      this.#isChecking = false
    }
  }
}

/** As many as a busy database lets in before their time is over, which is 45 s; the others come again. */
const MOST_ARRIVING = 2_000
const POLL_MS = 1_000
