import type { Clock } from '@smsgw/modem/clock'
import type { Stamp } from '../journal/change.ts'
import type { SystemClock } from './system-clock.ts'
import type { TrustedTime } from './trusted-time.ts'

/**
 * The time of day from the best available source: a synchronised system clock, then the relay, then the mobile network
 * (both continued by the monotonic clock), then a battery-backed system clock.
 */
export class TrustedClock implements TrustedTime {
  readonly #options: TrustedClockOptions
  #system: SystemClock
  /** The difference between the time and the monotonic clock at the last check. */
  #aheadMs: number
  #reference: { readonly from: Source; readonly wallMs: number; readonly monotonicMs: number } | undefined

  constructor(options: TrustedClockOptions) {
    this.#options = options
    this.#system = options.judgeSystem()
    this.#aheadMs = this.now().wallMs - options.clock.nowMs()
  }

  now(): { readonly wallMs: number; readonly trusted: boolean } {
    if (this.#system === 'synchronised') return { wallMs: this.#options.systemMs(), trusted: true }
    const reference = this.#reference
    if (reference === undefined) return { wallMs: this.#options.systemMs(), trusted: this.#system === 'kept' }
    const passedMs = this.#options.clock.nowMs() - reference.monotonicMs
    return { wallMs: Math.round(reference.wallMs + passedMs), trusted: true }
  }

  stamp(): Stamp {
    return { ...this.now(), bootId: this.#options.bootId, monotonicMs: this.#options.clock.nowMs() }
  }

  local(wallMs: number): string {
    const offsetMinutes = -new Date(wallMs).getTimezoneOffset()
    const shifted = new Date(wallMs + offsetMinutes * 60_000).toISOString().slice(0, -1)
    const minutes = Math.abs(offsetMinutes)
    const zone = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
    return `${shifted}${offsetMinutes < 0 ? '-' : '+'}${zone}`
  }

  minuteOfDay(wallMs: number): number {
    const at = new Date(wallMs)
    return at.getHours() * 60 + at.getMinutes()
  }

  /** Takes the time from the relay or the network. A time from the network does not replace a time from the relay. */
  heard(from: Source, wallMs: number): void {
    if (from === 'network' && this.#reference?.from === 'relay') return
    const before = this.now()
    this.#reference = { from, wallMs, monotonicMs: this.#options.clock.nowMs() }
    this.#notifyIfChanged(before)
  }

  /** Checks whether the system clock has been synchronised. */
  look(): void {
    const before = this.now()
    this.#system = this.#options.judgeSystem()
    this.#notifyIfChanged(before)
  }

  /** Checks whether the time was changed, by comparing it with the monotonic clock. */
  watch(): void {
    const aheadMs = this.now().wallMs - this.#options.clock.nowMs()
    const isSet = Math.abs(aheadMs - this.#aheadMs) > toleranceMs
    this.#aheadMs = aheadMs
    if (isSet) this.#options.onChanged()
  }

  /** The difference between the system clock and the time of the relay or the network. */
  get systemErrorMs(): number | undefined {
    const reference = this.#reference
    if (reference === undefined) return undefined
    const passedMs = this.#options.clock.nowMs() - reference.monotonicMs
    return Math.round(this.#options.systemMs() - (reference.wallMs + passedMs))
  }

  #notifyIfChanged(before: { readonly wallMs: number; readonly trusted: boolean }): void {
    const after = this.now()
    if (after.trusted !== before.trusted || Math.abs(after.wallMs - before.wallMs) > toleranceMs) {
      this.#options.onChanged()
    }
  }
}

export interface TrustedClockOptions {
  /** The monotonic clock, which all stamps with this boot id use. */
  readonly clock: Clock
  readonly bootId: string
  readonly systemMs: () => number
  readonly judgeSystem: () => SystemClock
  /** Called when the time becomes trusted, is no longer trusted, or has changed. */
  readonly onChanged: () => void
}

type Source = 'relay' | 'network'

const toleranceMs = 1000

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
