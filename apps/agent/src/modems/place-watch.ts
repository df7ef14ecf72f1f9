import type { Clock, Timer } from '@smsgw/modem/clock'
import type { FoundPlaces } from './find-places.ts'

/**
 * Looks for modems: when something changes among the devices, and every few seconds, since the bus itself tells only
 * udev. One look at a time; who asks while one is under way gets the next.
 */
export class PlaceWatch {
  readonly #options: PlaceWatchOptions
  #looking: Promise<void> | undefined
  #next: Promise<void> | undefined
  #timer: Timer | undefined
  #soon: Timer | undefined
  #unwatch: (() => void) | undefined
  #stopped = false
  /** Since when, and whether it was told. */
  readonly #unusable = new Map<string, { readonly sinceMs: number; told: boolean }>()

  constructor(options: PlaceWatchOptions) {
    this.#options = options
  }

  /** Resolves after the first look. */
  async start(): Promise<void> {
    this.#unwatch = this.#options.watch(() => this.#changed())
    await this.look()
    this.#later()
  }

  /** What was found is told before it resolves, and was found after it was asked. */
  look(): Promise<void> {
    if (this.#looking === undefined) {
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined
      })
      return this.#looking
    }
    this.#next ??= this.#looking.then(() => {
      this.#next = undefined
      return this.look()
    })
    return this.#next
  }

  /** What could be a modem and is none as it is. */
  get unusable(): readonly string[] {
    return [...this.#unusable.keys()]
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
    this.#soon?.cancel()
    this.#unwatch?.()
  }

  #changed(): void {
    // One device comes with several ports, and udev has something to do for each.
    this.#soon ??= this.#options.clock.after(settleMs, () => {
      this.#soon = undefined
      void this.look().then(() => this.#options.onChanged())
    })
  }

  #later(): void {
    if (this.#stopped) return
    this.#timer = this.#options.clock.after(lookMs, () => void this.look().then(() => this.#later()))
  }

  async #look(): Promise<void> {
    try {
      const found = await this.#options.find()
      if (this.#stopped) return
      this.#judge(found.unusable)
      this.#options.onFound(found)
    } catch (error) {
      this.#options.onTrouble(error as Error)
    }
  }

  /** A stick is a disk before it is a modem, and a port is there before its driver: told is what stays. */
  #judge(unusable: readonly string[]): void {
    const nowMs = this.#options.clock.nowMs()
    for (const words of this.#unusable.keys()) if (!unusable.includes(words)) this.#unusable.delete(words)
    for (const words of unusable) {
      const known = this.#unusable.get(words) ?? { sinceMs: nowMs, told: false }
      this.#unusable.set(words, known)
      if (known.told || nowMs - known.sinceMs < unusableAfterMs) continue
      known.told = true
      this.#options.onUnusable(words)
    }
  }
}

export interface PlaceWatchOptions {
  readonly clock: Clock
  readonly find: () => Promise<FoundPlaces>
  /** Calls back when something among the devices may have changed; returns how to end that. */
  readonly watch: (onChange: () => void) => () => void
  readonly onFound: (found: FoundPlaces) => void
  /** Something has changed; what is there now has been found. */
  readonly onChanged: () => void
  readonly onUnusable: (words: string) => void
  readonly onTrouble: (error: Error) => void
}

const settleMs = 200
const lookMs = 2_500
const unusableAfterMs = 15_000
