import type { VirtualTime } from '@smsgw/simulation/virtual-time'
import type { SimulatedAgent } from './simulated-agent.ts'
import type { SimulatedSession } from './simulated-relay.ts'

/** A connection of an agent. Frames arrive in the order in which they were sent, after the latency. */
export class SimulatedSocket {
  readonly agent: SimulatedAgent
  readonly connection: number
  readonly #time: VirtualTime
  readonly #latencyMs: number
  #session: SimulatedSession | undefined
  /** True when the agent has closed the connection, or knows that the connection has ended. */
  isOver = false

  constructor(time: VirtualTime, agent: SimulatedAgent, connection: number, latencyMs: number) {
    this.#time = time
    this.agent = agent
    this.connection = connection
    this.#latencyMs = latencyMs
  }

  /** The load balancer has accepted the TCP connection. */
  reached(): void {
    this.later(() => this.agent.step({ kind: 'reached', connection: this.connection }))
  }

  /** The relay has accepted the WebSocket. */
  opened(session: SimulatedSession): void {
    this.#session = session
    this.later(() => this.agent.step({ kind: 'opened', connection: this.connection }))
  }

  toAgent(text: string): void {
    this.later(() => this.agent.step({ kind: 'received', connection: this.connection, text }))
  }

  toRelay(text: string): void {
    this.#time.after(this.#latencyMs, () => this.#session?.received(text))
  }

  closedByAgent(code: number): void {
    this.isOver = true
    this.#time.after(this.#latencyMs, () => this.#session?.closed(code))
  }

  closedByRelay(code: number, reason: string): void {
    this.later(() => this.#end({ kind: 'closed', connection: this.connection, code, reason }))
  }

  /** The connection was refused, or a proxy answered that there is no relay. */
  unreachable(isProxied: boolean): void {
    this.later(() => this.#end({ kind: 'unreachable', connection: this.connection, reason: '', isProxied }))
  }

  /** Does something at the agent after the latency, unless the connection is over. */
  later(happen: () => void): void {
    this.#time.after(this.#latencyMs, () => {
      if (!this.isOver) happen()
    })
  }

  #end(input: Parameters<SimulatedAgent['step']>[0]): void {
    this.isOver = true
    this.agent.step(input)
  }
}
