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

/** Agents, a load balancer, relays and their database, with one virtual clock. */
export class Region {
  readonly time = new VirtualTime()
  readonly random: RandomChoices
  readonly database: ServiceStation
  readonly relays: readonly SimulatedRelay[]
  readonly agents: readonly SimulatedAgent[]
  readonly figures = {
    /** The largest number of agents that waited for admission at one relay. */
    longestQueue: 0,
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
  #waiting = 0
  #admitting = 0
  #epochs = 0
  #isUp = false

  constructor(outage: Outage) {
    this.#outage = outage
    this.random = new RandomChoices(outage.seed ^ 0x0a7a6e)
    this.#balancer = new ServiceStation(this.time, outage.balancerCores)
    this.database = new ServiceStation(this.time, outage.databaseCores)
    this.relays = Array.from({ length: outage.relays }, () => new SimulatedRelay(this))
    const online = onlineAgent()
    const addresses = this.#addresses()
    this.agents = Array.from({ length: outage.agents }, () => new SimulatedAgent(this, addresses(), online))
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
    if (this.#isUp) this.figures.connections += 1
    this.#waiting += 1
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

  /** Chooses the relay with the fewest connections, as HAProxy and nginx do. */
  #forward(socket: SimulatedSocket): void {
    let [best, fewest]: [SimulatedRelay | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const relay of this.relays) {
      if (relay.isReady && relay.sessions.size < fewest) [best, fewest] = [relay, relay.sessions.size]
    }
    if (best === undefined) socket.unreachable(true)
    else best.accept(socket)
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
