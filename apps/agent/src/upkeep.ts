import type { Clock, Timer } from '@smsgw/modem/clock'

/** What has to be looked at now and then. */
export class Upkeep {
  #timer: Timer | undefined
  readonly #clock: Clock
  readonly #work: () => Promise<void>

  constructor(clock: Clock, work: () => Promise<void>) {
    this.#clock = clock
    this.#work = work
    this.#later()
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #later(): void {
    this.#timer = this.#clock.after(upkeepEveryMs, () => {
      // It is tried again at the next turn.
      this.#work().then(
        () => this.#later(),
        () => this.#later(),
      )
    })
  }
}

const upkeepEveryMs = 60_000
