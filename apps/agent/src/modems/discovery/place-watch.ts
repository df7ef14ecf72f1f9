import type { Clock, Timer } from '@smsgw/modem/clock'
import type { FoundPlaces } from './find-places.ts'

/**
 * Searches for modems when devices change, and also every few seconds, because the agent does not learn of all
 * changes. One search runs at a time. A request during a search waits for the next search.
 */
export class PlaceWatch {
  readonly #options: PlaceWatchOptions
  #search: Promise<void> | undefined
  #nextSearch: Promise<void> | undefined
  #timer: Timer | undefined
  #settleTimer: Timer | undefined
  #unwatch: (() => void) | undefined
  #stopped = false
  /** For each problem, by its description: the time when the device appeared, and whether the problem was reported. */
  readonly #unusable = new Map<string, { readonly sinceMs: number; reported: boolean }>()

  constructor(options: PlaceWatchOptions) {
    this.#options = options
  }

  /** Resolves after the first search. */
  async start(): Promise<void> {
    this.#unwatch = this.#options.watch(() => this.#changed())
    await this.look()
    this.#schedule()
  }

  /** Searches once; the search starts after this call. Resolves after `onFound` was called with the result. */
  look(): Promise<void> {
    if (this.#search === undefined) {
      this.#search = this.#look().finally(() => {
        this.#search = undefined
      })
      return this.#search
    }
    this.#nextSearch ??= this.#search.then(() => {
      this.#nextSearch = undefined
      return this.look()
    })
    return this.#nextSearch
  }

  /** Devices that look like modems but cannot be used. */
  get unusable(): readonly string[] {
    return [...this.#unusable.keys()]
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#settleTimer?.cancel()
    this.#unwatch?.()
  }

  #changed(): void {
    // Waits, because udev processes the ports of a device one by one.
    this.#settleTimer ??= this.#options.clock.after(settleMs, () => {
      this.#settleTimer = undefined
      void this.look().then(() => this.#options.onChanged())
    })
  }

  #schedule(): void {
    if (this.#stopped) return
    this.#timer = this.#options.clock.after(searchIntervalMs, () => void this.look().then(() => this.#schedule()))
  }

  async #look(): Promise<void> {
    try {
      const found = await this.#options.find()
      if (this.#stopped) return
      this.#reportUnusable(found.unusable)
      this.#options.onFound(found)
    } catch (error) {
      this.#options.onError(error as Error)
    }
  }

  /**
   * Reports a device only after a while, because a stick appears as a disk before it becomes a modem, and a port
   * appears before its driver.
   */
  #reportUnusable(unusable: readonly string[]): void {
    const nowMs = this.#options.clock.nowMs()
    for (const problem of this.#unusable.keys()) if (!unusable.includes(problem)) this.#unusable.delete(problem)
    for (const problem of unusable) {
      const known = this.#unusable.get(problem) ?? { sinceMs: nowMs, reported: false }
      this.#unusable.set(problem, known)
      if (known.reported || nowMs - known.sinceMs < unusableAfterMs) continue
      known.reported = true
      this.#options.onUnusable(problem)
    }
  }
}

export interface PlaceWatchOptions {
  readonly clock: Clock
  readonly find: () => Promise<FoundPlaces>
  /** Calls back when devices may have changed; returns a function that stops the watch. */
  readonly watch: (onChange: () => void) => () => void
  readonly onFound: (found: FoundPlaces) => void
  /** Called after the search that follows a change of devices. */
  readonly onChanged: () => void
  readonly onUnusable: (problem: string) => void
  readonly onError: (error: Error) => void
}

const settleMs = 200
const searchIntervalMs = 2_500
const unusableAfterMs = 15_000
