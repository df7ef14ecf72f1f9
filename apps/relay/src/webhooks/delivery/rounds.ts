/** How soon a round may follow the one before: what is asked for meanwhile it does together. */
const PACE_MS = 10

/**
 * Runs the same work again and again, one run at a time: when it is asked for and at once when
 * it is quiet. The work does not reject.
 */
export class Rounds {
  readonly #run: () => Promise<void>
  #begunAtMs = -PACE_MS
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isAsked = false
  #isStopped = false

  constructor(run: () => Promise<void>) {
    this.#run = run
  }

  ask(): void {
    this.#isAsked = true
    if (this.#running !== undefined || this.#timer !== undefined || this.#isStopped) return
    const waitMs = this.#begunAtMs + PACE_MS - performance.now()
    if (waitMs <= 0) this.#begin()
    else this.#timer = setTimeout(() => this.#begin(), waitMs)
  }

  /** Waits for a run that is under way; there is none after it. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #begin(): void {
    this.#timer = undefined
    this.#isAsked = false
    this.#begunAtMs = performance.now()
    this.#running = this.#run().then(() => {
      this.#running = undefined
      if (this.#isAsked) this.ask()
    })
  }
}
