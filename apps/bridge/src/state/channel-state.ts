/** The state that a channel reports. */
export interface ChannelReport {
  readonly name: string
  /** The problem; undefined while everything works. */
  readonly problem: string | undefined
  /** The start of the present state. */
  readonly since: Date
}

/** The state of one channel. A channel works while none of its parts has a problem. */
export class ChannelState {
  readonly #name: string
  readonly #now: () => number
  readonly #problems = new Map<string, string>()
  #since: number

  /** @param parts the parts that must work. Each part has a problem until `set` reports that it works. */
  constructor(name: string, parts: Readonly<Record<string, string>>, now: () => number = Date.now) {
    this.#name = name
    this.#now = now
    this.#since = now()
    for (const [part, problem] of Object.entries(parts)) this.#problems.set(part, problem)
  }

  /** Sets the problem of a part, or undefined if it works. */
  set(part: string, problem: string | undefined): void {
    const worked = this.#problems.size === 0
    if (problem === undefined) this.#problems.delete(part)
    else this.#problems.set(part, problem)
    if ((this.#problems.size === 0) !== worked) this.#since = this.#now()
  }

  report(): ChannelReport {
    const problem = this.#problems.size === 0 ? undefined : [...this.#problems.values()].join('; ')
    return { name: this.#name, problem, since: new Date(this.#since) }
  }
}
