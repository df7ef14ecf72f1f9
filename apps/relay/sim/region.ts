import { closeCodes } from '@smsgw/contract/link/close-code'
import { nextAgent } from '@smsgw/link/agent/session'
import { type AgentInput, type AgentState, newAgent } from '@smsgw/link/agent/state'
import { RandomChoices } from '@smsgw/simulation/random-choices'
import { VirtualTime } from '@smsgw/simulation/virtual-time'
import { costs } from './costs.ts'
import type { Outage } from './outage.ts'
import { ServiceStation } from './service-station.ts'
import { SimulatedAgent } from './simulated-agent.ts'
import { SimulatedRelay } from './simulated-relay.ts'
import { SimulatedSocket } from './simulated-socket.ts'

/**
 * The load balancer holds at most this number of connections, times the number of agents. It drops packets of further
 * connections.
 */
const CONNECTIONS_EACH = 2
/** TCP repeats its first packet after this time, and then after twice the time. */
const FIRST_REPEAT_MS = 1_000
const LATENCIES_MS = [5, 20, 40, 150]
/** TCP and TLS 1.3 take two round trips before the request. */
const ROUND_TRIPS_TO_CONNECT = 2

/**
 * Agents, a load balancer, relays and their database, with one virtual clock. With several cells, the load balancer is
 * a group of routers, and a relay refuses a router's connection at once, because the router then tries another relay.
 */
export class Region {
  readonly time = new VirtualTime()
  readonly random: RandomChoices
  readonly relays: readonly SimulatedRelay[]
  readonly agents: readonly SimulatedAgent[]
  readonly figures = {
    /** The largest number of agents that waited for admission at one relay. */
    longestQueue: 0,
    /** The largest number of agents that waited for admission at all relays together. */
    mostAdmitting: 0,
    /** The largest number of connections that waited at the load balancer. */
    mostWaiting: 0,
    /** The largest number of connections that reached the load balancer within one second after the outage. */
    mostArrivals: 0,
    /** The largest number of agents that claimed their commands within one second. */
    mostClaims: 0,
    /** Admissions that were dropped, because the queue of the relay was full. */
    dropped: 0,
    /** Connections that a relay refused with 429. */
    limited: 0,
    /** Connections that reached the load balancer after the outage. */
    connections: 0,
    /** Connections whose agent stopped waiting before the load balancer had finished the TLS handshake. */
    lost: 0,
  }
  online: number
  readonly #outage: Outage
  readonly #balancer: ServiceStation
  readonly #cells: readonly (readonly SimulatedRelay[])[]
  #waiting = 0
  #admitting = 0
  #epochs = 0
  readonly #claims = new CountInSecond()
  readonly #arrivals = new CountInSecond()
  #isUp = false

  constructor(outage: Outage) {
    this.#outage = outage
    this.random = new RandomChoices(outage.seed ^ 0x0a7a6e)
    this.#balancer = new ServiceStation(this.time, outage.balancerCores)
    const relays = outage.relays / outage.cells
    this.#cells = Array.from({ length: outage.cells }, () => {
      const database = new ServiceStation(this.time, outage.databaseCores / outage.cells)
      return Array.from({ length: relays }, () => new SimulatedRelay(this, database))
    })
    this.relays = this.#cells.flat()
    const online = onlineAgent()
    const addresses = this.#addresses()
    this.agents = Array.from({ length: outage.agents }, (_, number) => {
      return new SimulatedAgent(this, { address: addresses(), cell: number % outage.cells }, online)
    })
    this.online = outage.agents
  }

  /** The outage begins now. */
  begin(): void {
    for (const agent of this.agents) agent.lose()
    this.time.after(this.#outage.forMs, () => {
      this.#isUp = true
      for (const relay of this.relays)
        this.time.after(this.random.between(0, this.#outage.startMs + 1), () => {
          relay.isReady = true
        })
    })
  }

  connect(agent: SimulatedAgent, connection: number): SimulatedSocket {
    const latencyMs = this.random.oneOf(LATENCIES_MS)
    const socket = new SimulatedSocket(this.time, agent, connection, latencyMs)
    this.time.after(latencyMs, () => this.#reachBalancer(socket, latencyMs))
    return socket
  }

  onlineChanged(isOnline: boolean): void {
    this.online += isOnline ? 1 : -1
  }

  /** True if connections wait at the balancer. */
  get isWaiting(): boolean {
    return this.#waiting > 0
  }

  get isReady(): boolean {
    return this.relays.some(({ isReady }) => isReady)
  }

  /** True if admissions wait or are in progress. Some promises may then still have to settle. */
  get isAdmitting(): boolean {
    return this.#admitting > 0
  }

  /** An admission began to wait, or ended. `atRelay`: the number of admissions at its relay. */
  admitting(change: 1 | -1, atRelay: number): void {
    this.#admitting += change
    this.figures.longestQueue = Math.max(this.figures.longestQueue, atRelay)
    this.figures.mostAdmitting = Math.max(this.figures.mostAdmitting, this.#admitting)
  }

  claimed(): void {
    this.figures.mostClaims = Math.max(this.figures.mostClaims, this.#claims.count(this.time.nowMs))
  }

  /** The longest time for which a request has waited for a core of a database. */
  get longestDatabaseWaitMs(): number {
    return Math.max(...this.relays.map(({ database }) => database.longestWaitMs))
  }

  /** One line for the trace. */
  describe(): string {
    const loopMs = Math.max(...this.relays.map(({ loop }) => loop.waitMs))
    return [
      `${(this.time.nowMs / 1_000).toFixed(0).padStart(6)} s`,
      `${this.online} online`,
      `${this.#waiting} at the balancer`,
      `${this.#admitting} wait for admission`,
      `event loops busy for ${loopMs.toFixed(0)} ms`,
    ].join(', ')
  }

  nextEpoch(): number {
    this.#epochs += 1
    return this.#epochs
  }

  #reachBalancer(socket: SimulatedSocket, latencyMs: number, repeatMs = FIRST_REPEAT_MS): void {
    if (socket.isOver) return
    const { kind, agents } = this.#outage
    if (!this.#isUp && kind === 'refused') {
      socket.unreachable(false)
      return
    }
    if ((!this.#isUp && kind === 'silent') || this.#waiting >= CONNECTIONS_EACH * agents) {
      this.time.after(repeatMs, () => this.#reachBalancer(socket, latencyMs, repeatMs * 2))
      return
    }
    if (this.#isUp) {
      this.figures.connections += 1
      this.figures.mostArrivals = Math.max(this.figures.mostArrivals, this.#arrivals.count(this.time.nowMs))
    }
    this.#waiting += 1
    this.figures.mostWaiting = Math.max(this.figures.mostWaiting, this.#waiting)
    socket.reached()
    const connectMs = 2 * ROUND_TRIPS_TO_CONNECT * latencyMs
    this.time.after(connectMs, () => {
      this.#balancer.run(costs.tlsHandshakeMs, () => {
        this.#waiting -= 1
        // The agent has stopped waiting, so the handshake was in vain.
        if (socket.isOver) this.figures.lost += 1
        else this.#forward(socket)
      })
    })
  }

  /** Chooses the relay with the fewest connections, as HAProxy and nginx do. A router also tries the next relays. */
  #forward(socket: SimulatedSocket, tried: readonly SimulatedRelay[] = []): void {
    let [best, fewest]: [SimulatedRelay | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const relay of this.#cells[socket.agent.cell] ?? []) {
      if (!relay.isReady || relay.connections >= fewest || tried.includes(relay)) continue
      ;[best, fewest] = [relay, relay.connections]
    }
    if (best === undefined && tried.length > 0) socket.closedByRelay(closeCodes.unavailable.code, 'all relays refused')
    else if (best === undefined) socket.unreachable(true)
    else if (this.#cells.length === 1) best.accept(socket)
    else best.accept(socket, () => this.#forward(socket, [...tried, best]))
  }

  /** Returns a function that returns the address of the next agent. A site has several agents behind one address. */
  #addresses(): () => string {
    let [site, left] = [0, 0]
    return () => {
      if (left === 0) [site, left] = [site + 1, 1 + this.random.below(this.#outage.largestSite)]
      left -= 1
      return `10.${(site >> 16) & 255}.${(site >> 8) & 255}.${site & 255}`
    }
  }
}

/** Counts what happens within the present second. */
class CountInSecond {
  #second = 0
  #count = 0

  count(nowMs: number): number {
    const second = Math.floor(nowMs / 1_000)
    this.#count = second === this.#second ? this.#count + 1 : 1
    this.#second = second
    return this.#count
  }
}

/** Returns the state of an agent that has been online for a while. */
function onlineAgent(): AgentState {
  const agent = {
    ...{ bootId: 'boot', agentVersion: '1.0', publicKey: 'k'.repeat(44), name: 'agent', isClockSynchronised: true },
    sims: [],
  }
  const connection = 1
  const welcome = {
    ...{ type: 'welcome', version: 1, connEpoch: 1, streamId: 'stream', mark: 0, isRetired: false, window: 64 },
    ...{ heartbeatSeconds: 20, serverTime: '2026-01-01T00:00:00Z', settings: {} },
  }
  const challenge = {
    ...{ type: 'challenge', nonce: 'n'.repeat(16), relayId: 'relay', versions: { min: 1, max: 1 }, sendsPending: true },
  }
  const inputs: readonly AgentInput[] = [
    { kind: 'start' },
    { kind: 'opened', connection },
    { kind: 'received', connection, text: JSON.stringify(challenge) },
    { kind: 'signed', connection, signature: 'AAAA' },
    { kind: 'received', connection, text: JSON.stringify(welcome) },
  ]
  const start = newAgent({
    agent,
    identity: { deviceId: 'device' },
    journal: { id: 'journal', streamId: 'stream' },
    marks: { first: 1, tail: 0, mark: 0 },
  })
  const state = inputs.reduce((before, input) => nextAgent(before, input).state, start)
  if (state.phase.kind !== 'online') throw new Error(`the agent is ${state.phase.kind}, not online`)
  return state
}
