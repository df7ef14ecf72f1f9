import type { Clock, Timer } from '../clock.ts'
import type { FaultControl } from '../faults/fault-control.ts'
import type { SimToolkitTraits } from './personality-traits.ts'

/**
 * The SIM's program (SIM toolkit, ETSI TS 102 223), which asks the host for something and waits: `idle` → `waiting`,
 * where the SIM is busy for everything else, until the host responds or the modem gives up.
 */
export class SimToolkit {
  readonly #options: SimToolkitOptions
  #waiting: { readonly type: number; readonly timer: Timer } | undefined

  constructor(options: SimToolkitOptions) {
    this.#options = options
  }

  get waiting(): boolean {
    return this.#waiting !== undefined
  }

  /** An opportunity for the program to ask: the SIM became ready, the fault was set, or a message is being sent. */
  mayAsk(occasion: 'always' | 'sending'): void {
    const { faults, traits, clock, say } = this.#options
    const fault = faults.standing('sim-toolkit')
    if (traits === undefined || fault === undefined || this.waiting) return
    if (fault.whileSending !== (occasion === 'sending') || faults.strike('sim-toolkit') === undefined) return
    this.#waiting = { type: fault.type, timer: clock.after(fault.forMs, () => this.#end()) }
    say(traits.asks(fault.type))
  }

  /** `type`: the command that the response is for; undefined if the family's response does not name it. */
  respond(type: number | undefined): boolean {
    if (this.#waiting === undefined || (type !== undefined && type !== this.#waiting.type)) return false
    this.#end()
    return true
  }

  powerOff(): void {
    this.#waiting?.timer.cancel()
    this.#waiting = undefined
  }

  #end(): void {
    this.powerOff()
    const { traits, say } = this.#options
    if (traits?.ended !== undefined) say(traits.ended)
  }
}

export interface SimToolkitOptions {
  readonly clock: Clock
  readonly faults: FaultControl
  readonly traits: SimToolkitTraits | undefined
  readonly say: (line: string) => void
}
