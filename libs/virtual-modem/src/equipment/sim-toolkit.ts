import type { Clock, Timer } from '../clock.ts'
import type { FaultControl } from '../faults/fault-control.ts'
import type { SimToolkitTraits } from './personality-traits.ts'

/**
 * The program on the SIM (SIM toolkit, ETSI TS 102 223), which sends a request to the host and waits: `idle` →
 * `waiting`, in which the SIM is busy for all other purposes, until the host responds or the modem gives up.
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

  /**
   * Called when the program may send a request: the SIM became ready, the fault was set, or a message is being sent.
   */
  mayAsk(occasion: 'always' | 'sending'): void {
    const { faults, traits, clock, say } = this.#options
    const fault = faults.standing('sim-toolkit')
    if (traits === undefined || fault === undefined || this.waiting) return
    if (fault.whileSending !== (occasion === 'sending') || faults.strike('sim-toolkit') === undefined) return
    this.#waiting = { type: fault.type, timer: clock.after(fault.forMs, () => this.#end()) }
    say(traits.asks(fault.type))
  }

  /** `type`: the command that the response answers; undefined if the responses of the family do not contain it. */
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
