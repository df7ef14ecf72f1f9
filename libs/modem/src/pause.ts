import type { Cancellation } from './cancellation.ts'
import type { Clock, Timer } from './clock.ts'

/**
 * Waits until the next check is due or `wake` is called, so that an unsolicited code can shorten the wait. Always waits
 * at least `leastMs`, because some modems send an unsolicited code with every answer to the check.
 */
export class Pause {
  readonly #clock: Clock
  readonly #leastMs: number
  #wake: (() => void) | undefined
  /** True if `wake` was called before the wait began. The next wait is then as short as allowed. */
  #woken = false

  constructor(clock: Clock, leastMs = 0) {
    this.#clock = clock
    this.#leastMs = leastMs
  }

  wake(): void {
    if (this.#wake === undefined) this.#woken = true
    else this.#wake()
  }

  async wait(delayMs: number, cancellation: Cancellation): Promise<void> {
    const shortestMs = Math.min(this.#leastMs, delayMs)
    const lengthMs = this.#woken ? shortestMs : delayMs
    this.#woken = false
    if (lengthMs === 0 || cancellation.cancelled) return
    const earliestMs = this.#clock.nowMs() + shortestMs
    let timer: Timer | undefined
    let stopListening: (() => void) | undefined
    await new Promise<void>((resolve) => {
      timer = this.#clock.after(lengthMs, resolve)
      this.#wake = () => {
        timer?.cancel()
        const leftMs = earliestMs - this.#clock.nowMs()
        if (leftMs > 0) timer = this.#clock.after(leftMs, resolve)
        else resolve()
      }
      stopListening = cancellation.onCancelled(resolve)
    })
    this.#wake = undefined
    timer?.cancel()
    stopListening?.()
  }
}
