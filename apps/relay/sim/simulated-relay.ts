import { nextRelay } from '@smsgw/link/relay/session'
import {
  newConnection,
  type RelayEffect,
  type RelayInput,
  type RelayState,
  type RelayTimer,
} from '@smsgw/link/relay/state'
import { FairQueue, URGENT } from '../src/limits/fair-queue.ts'
import { admissionGroup, type DatabaseEffect, failureInput } from '../src/link/agent-requests.ts'
import { ADMITTED_AT_ONCE, ArrivalLimits, MOST_ARRIVING } from '../src/link/arrival-limits.ts'
import { LATE_REFUSAL_MS, MOST_LATE_REFUSALS } from '../src/link/refusals.ts'
import { costs } from './costs.ts'
import type { Region } from './region.ts'
import { ServiceStation } from './service-station.ts'
import type { SimulatedSocket } from './simulated-socket.ts'

/** A third of the default of DATABASE_CONNECTIONS, as in `relay.ts`. */
const WRITES_AT_ONCE = 4

/**
 * A relay with the real session machine, the real limits of new connections and the real queue of admissions. Its
 * event loop is one core. The database is shared with the other relays.
 */
export class SimulatedRelay {
  readonly region: Region
  readonly database: ServiceStation
  readonly loop: ServiceStation
  readonly arrivals = new FairQueue({ slots: ADMITTED_AT_ONCE, places: MOST_ARRIVING })
  readonly admissionWrites = new FairQueue({ slots: WRITES_AT_ONCE, places: MOST_ARRIVING })
  readonly #limits = new ArrivalLimits()
  /** The connections that the load balancer has forwarded and that have not ended. */
  connections = 0
  /** Connections that wait for their refusal. */
  #refusals = 0
  isReady = false
  /** Admissions that wait for their turn or are in progress. */
  admissions = 0

  constructor(region: Region, database: ServiceStation) {
    this.region = region
    this.database = database
    this.loop = new ServiceStation(region.time, 1)
  }

  /** The load balancer forwards a WebSocket. A router passes `refused`, and tries another relay. */
  accept(socket: SimulatedSocket, refused?: () => void): void {
    this.connections += 1
    const isRefused = this.#limits.take(socket.agent.address, this.region.time.nowMs) > 0
    this.loop.run(isRefused ? costs.refusalMs : costs.upgradeMs, () => {
      if (isRefused) {
        if (refused === undefined) this.#refuseLate(socket)
        else this.#refuseNow(refused)
        return
      }
      const session = new SimulatedSession(this, socket)
      socket.opened(session)
      session.step({ kind: 'opened' })
    })
  }

  /** Like `Refusals`. */
  #refuseLate(socket: SimulatedSocket): void {
    const delayMs = this.#refusals < MOST_LATE_REFUSALS ? LATE_REFUSAL_MS : 0
    this.#refusals += 1
    this.region.time.after(delayMs, () => {
      this.#refusals -= 1
      this.#refuseNow(() => socket.closedByRelay(1006, 'HTTP 429'))
    })
  }

  #refuseNow(refused: () => void): void {
    this.region.figures.limited += 1
    this.connections -= 1
    refused()
  }
}

/** The relay's end of one connection, like `ConnectedAgent` and `AgentRequests`. */
export class SimulatedSession {
  readonly #relay: SimulatedRelay
  readonly #socket: SimulatedSocket
  readonly #timers = new Map<RelayTimer, number>()
  readonly #pending: RelayInput[] = []
  #state: RelayState = newConnection({ relayId: 'relay', nonce: 'n'.repeat(16) })
  #isStepping = false
  /** True until the connection is no longer one of the relay's connections. */
  #isCounted = true

  constructor(relay: SimulatedRelay, socket: SimulatedSocket) {
    this.#relay = relay
    this.#socket = socket
  }

  received(text: string): void {
    this.#relay.loop.run(costs.frameMs, () => this.step({ kind: 'received', text }))
  }

  closed(code: number): void {
    this.#relay.loop.run(costs.frameMs, () => this.step({ kind: 'closed', code }))
  }

  step(input: RelayInput): void {
    this.#pending.push(input)
    if (this.#isStepping) return
    this.#isStepping = true
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      const { state, effects } = nextRelay(this.#state, next)
      this.#state = state
      for (const effect of effects) this.#do(effect)
    }
    this.#isStepping = false
    if (this.#isOver && this.#isCounted) {
      this.#isCounted = false
      this.#relay.connections -= 1
    }
  }

  get #isOver(): boolean {
    return this.#state.phase.kind === 'closed'
  }

  #do(effect: RelayEffect): void {
    switch (effect.kind) {
      case 'send':
        this.#socket.toAgent(effect.text)
        break
      case 'close':
        this.#socket.closedByRelay(effect.code, effect.reason)
        break
      case 'set-timer':
        // Heartbeats are left out, as at the agent.
        if (effect.timer !== 'tick') this.#setTimer(effect)
        break
      case 'cancel-timer':
        this.#timers.set(effect.timer, (this.#timers.get(effect.timer) ?? 0) + 1)
        break
      case 'authenticate':
      case 'open-connection':
      case 'claim-commands':
        void this.#request(effect)
    }
  }

  /** A timer fires late if the event loop is busy. */
  #setTimer({ timer, fromMs, toMs }: RelayEffect & { kind: 'set-timer' }): void {
    const { time, random } = this.#relay.region
    const setting = (this.#timers.get(timer) ?? 0) + 1
    this.#timers.set(timer, setting)
    time.after(random.between(fromMs, toMs + 1), () =>
      this.#relay.loop.run(0, () => {
        if (this.#timers.get(timer) === setting) this.step({ kind: 'timer', timer })
      }),
    )
  }

  /** As in `AgentRequests`. */
  async #request(effect: DatabaseEffect): Promise<void> {
    const relay = this.#relay
    const group = admissionGroup(effect, this.#socket.agent.address)
    const answer = async () => (this.#isOver ? undefined : await this.#answer(effect))
    if (group === undefined) {
      this.#stepAfter(await answer(), effect)
      return
    }
    relay.admissions += 1
    relay.region.admitting(1, relay.admissions)
    const turn = await relay.arrivals.run(group, async () => ({ input: await answer() }))
    relay.admissions -= 1
    relay.region.admitting(-1, relay.admissions)
    if (turn === undefined) relay.region.figures.dropped += 1
    this.#stepAfter(turn?.input, effect)
  }

  #stepAfter(input: RelayInput | undefined, effect: DatabaseEffect): void {
    const next = input ?? failureInput(effect)
    if (next !== undefined) this.step(next)
  }

  /** First uses the database, then the event loop, each for as long as the request takes there. */
  async #answer(effect: DatabaseEffect): Promise<RelayInput> {
    const { region, database, loop, admissionWrites } = this.#relay
    const cost = costs.requests[effect.kind as keyof typeof costs.requests]
    const use = () => new Promise<void>((done) => database.run(cost.databaseMs, done))
    await (effect.kind === 'open-connection' ? admissionWrites.run(URGENT, use) : use())
    await new Promise<void>((done) => loop.run(cost.relayMs, done))
    switch (effect.kind) {
      case 'authenticate':
        return { kind: 'authenticated' }
      case 'open-connection':
        return {
          kind: 'connection-opened',
          opened: {
            connEpoch: region.nextEpoch(),
            streamId: 'stream',
            mark: 0,
            isRetired: false,
            serverTime: '2026-01-01T00:00:00Z',
            settings: {},
          },
        }
      default:
        region.claimed()
        return { kind: 'commands-claimed', commands: [] }
    }
  }
}
