import type { Clock, Timer } from '../clock.ts'
import type { FaultControl } from '../faults/fault-control.ts'
import type { SimToolkitTraits } from './personality-traits.ts'

/**
 * The program on the SIM (SIM toolkit, ETSI TS 102 223). States: `idle` → `waiting` → `idle`. While the program waits
 * for the host to respond to its request, the SIM is busy. The wait ends when the modem gives up.
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
