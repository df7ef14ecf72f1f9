import type { Cancellation } from './cancellation.ts'
import type { Clock, Timer } from './clock.ts'

/**
 * Waiting until it is time to look again, or until something says that it is worth looking now: a poll that an
 * unsolicited code can shorten.
 */
export class Pause {
  readonly #clock: Clock
  #end: (() => void) | undefined
  /** Woken while nobody waited: the next wait is over before it begins. */
  #woken = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  wake(): void {
    if (this.#end === undefined) this.#woken = true
    else this.#end()
  }

  async wait(delayMs: number, cancellation: Cancellation): Promise<void> {
    if (this.#woken || cancellation.cancelled) {
      this.#woken = false
      return
    }
    let timer: Timer | undefined
    let stopListening: (() => void) | undefined
    await new Promise<void>((resolve) => {
      this.#end = resolve
      timer = this.#clock.after(delayMs, resolve)
      stopListening = cancellation.onCancelled(resolve)
    })
    this.#end = undefined
    timer?.cancel()
    stopListening?.()
  }
}
