import type { VirtualTime } from '@smsgw/simulation/virtual-time'

/** A process with its own clock. The process runs until it is killed, and may be suspended. */
export class Process {
  isAlive = true
  #frozenUntilMs = 0
  readonly #unseen: (() => void)[] = []
  readonly #time: VirtualTime
  /** The speed of its timers. */
  readonly #rate: number
  readonly #timers = new Map<string, number>()
  #timersSet = 0

  constructor(time: VirtualTime, rate: number) {
    this.#time = time
    this.#rate = rate
  }

  kill(): void {
    this.isAlive = false
  }

  /**
   * Suspends the process like SIGSTOP. When the process resumes, it immediately handles all inputs that have arrived,
   * in order.
   */
  freeze(ms: number): void {
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, this.#time.nowMs + ms)
  }

  thaw(): void {
    this.#frozenUntilMs = 0
    this.#catchUp()
  }

  /** Runs `see` after a delay, if the process is still running then. */
  later(ms: number, see: () => void): void {
    this.#time.after(ms, () => this.now(see))
  }

  now(see: () => void): void {
    if (this.#time.nowMs >= this.#frozenUntilMs && this.#unseen.length === 0) {
      if (this.isAlive) see()
      return
    }
    this.#unseen.push(see)
    if (this.#unseen.length === 1) this.#time.after(this.#frozenUntilMs - this.#time.nowMs, () => this.#catchUp())
  }

  #catchUp(): void {
    const stillMs = this.#frozenUntilMs - this.#time.nowMs
    if (stillMs > 0) this.#time.after(stillMs, () => this.#catchUp())
    else for (const see of this.#unseen.splice(0)) if (this.isAlive) see()
  }

  setTimer(name: string, ms: number, fire: () => void): void {
    this.#timersSet += 1
    const set = this.#timersSet
    this.#timers.set(name, set)
    this.later(ms * this.#rate, () => {
      if (this.#timers.get(name) !== set) return
      this.#timers.delete(name)
      fire()
    })
  }

  cancelTimer(name: string): void {
    this.#timers.delete(name)
  }
}
