import { nextAgent } from '@smsgw/link/agent/session'
import type { AgentEffect, AgentInput, AgentState, AgentTimer } from '@smsgw/link/agent/state'
import type { Region } from './region.ts'
import type { SimulatedSocket } from './simulated-socket.ts'

/**
 * An agent with the real session machine. Once it is online, it has no more work: heartbeats are left out, because they
 * would take most of the time of the simulation.
 */
export class SimulatedAgent {
  readonly address: string
  readonly cell: number
  readonly #region: Region
  #state: AgentState
  #socket: SimulatedSocket | undefined
  /** How many times each timer was set or cancelled. A timer that was set before the last change has no effect. */
  readonly #timers = new Map<AgentTimer, number>()
  attempts = 0

  /** `online`: the state before the outage, which all agents share. */
  constructor(region: Region, place: { readonly address: string; readonly cell: number }, online: AgentState) {
    this.#region = region
    this.address = place.address
    this.cell = place.cell
    this.#state = online
  }

  get isOnline(): boolean {
    return this.#state.phase.kind === 'online'
  }

  /** The present connection ends without a close frame. */
  lose(): void {
    this.step({ kind: 'closed', connection: this.#state.connection, code: 1006, reason: '' })
  }

  step(input: AgentInput): void {
    const wasOnline = this.isOnline
    const { state, effects } = nextAgent(this.#state, input)
    this.#state = state
    for (const effect of effects) this.#do(effect)
    if (this.isOnline !== wasOnline) this.#region.onlineChanged(this.isOnline)
  }

  #do(effect: AgentEffect): void {
    switch (effect.kind) {
      case 'connect':
        this.attempts += 1
        this.#socket = this.#region.connect(this, effect.connection)
        break
      case 'send':
        this.#socket?.toRelay(effect.text)
        break
      case 'close':
        this.#socket?.closedByAgent(effect.code)
        break
      case 'sign':
        this.step({ kind: 'signed', connection: effect.connection, signature: 'AAAA' })
        break
      case 'set-timer':
        if (effect.timer !== 'tick' && effect.timer !== 'credit') this.#setTimer(effect)
        break
      case 'cancel-timer':
        this.#timers.set(effect.timer, (this.#timers.get(effect.timer) ?? 0) + 1)
    }
  }

  #setTimer({ timer, fromMs, toMs }: AgentEffect & { kind: 'set-timer' }): void {
    const setting = (this.#timers.get(timer) ?? 0) + 1
    this.#timers.set(timer, setting)
    this.#region.time.after(this.#region.random.between(fromMs, toMs + 1), () => {
      if (this.#timers.get(timer) === setting) this.step({ kind: 'timer', timer })
    })
  }
}
