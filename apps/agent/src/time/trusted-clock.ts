import type { Clock } from '@smsgw/modem/clock'
import type { Stamp } from '../journal/change.ts'
import type { SystemClock } from './system-clock.ts'
import type { TrustedTime } from './trusted-time.ts'

/**
 * The time of day, from whom it can be had: the machine's own clock when it is synchronised, else the relay, else the
 * mobile network, and between their words the clock that nobody sets; else a clock with a battery. A Raspberry Pi starts with the time at which it was
 * switched off.
 */
export class TrustedClock implements TrustedTime {
  readonly #parts: TrustedClockParts
  #system: SystemClock
  #reference: { readonly from: Source; readonly wallMs: number; readonly monotonicMs: number } | undefined

  constructor(parts: TrustedClockParts) {
    this.#parts = parts
    this.#system = parts.judgeSystem()
  }

  now(): { readonly wallMs: number; readonly trusted: boolean } {
    if (this.#system === 'synchronised') return { wallMs: this.#parts.systemMs(), trusted: true }
    const reference = this.#reference
    if (reference === undefined) return { wallMs: this.#parts.systemMs(), trusted: this.#system === 'kept' }
    const passedMs = this.#parts.clock.nowMs() - reference.monotonicMs
    return { wallMs: Math.round(reference.wallMs + passedMs), trusted: true }
  }

  stamp(): Stamp {
    return { ...this.now(), bootId: this.#parts.bootId, monotonicMs: this.#parts.clock.nowMs() }
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

  /** What somebody else says that it is. The better source stays. */
  heard(from: Source, wallMs: number): void {
    if (from === 'network' && this.#reference?.from === 'relay') return
    const before = this.now()
    this.#reference = { from, wallMs, monotonicMs: this.#parts.clock.nowMs() }
    this.#tellAfter(before)
  }

  /** Looks whether the machine's clock has been set right meanwhile. */
  look(): void {
    const before = this.now()
    this.#system = this.#parts.judgeSystem()
    this.#tellAfter(before)
  }

  /** How far the machine's clock is from what the relay or the network says. */
  get systemErrorMs(): number | undefined {
    const reference = this.#reference
    if (reference === undefined) return undefined
    const passedMs = this.#parts.clock.nowMs() - reference.monotonicMs
    return Math.round(this.#parts.systemMs() - (reference.wallMs + passedMs))
  }

  #tellAfter(before: { readonly wallMs: number; readonly trusted: boolean }): void {
    const after = this.now()
    if (after.trusted !== before.trusted || Math.abs(after.wallMs - before.wallMs) > worthTellingMs) {
      this.#parts.onChanged()
    }
  }
}

export interface TrustedClockParts {
  /** Monotonic, and the same for all that is stamped with this boot id. */
  readonly clock: Clock
  readonly bootId: string
  readonly systemMs: () => number
  readonly judgeSystem: () => SystemClock
  /** It is vouched for now, or it is another time than it seemed. */
  readonly onChanged: () => void
}

type Source = 'relay' | 'network'

const worthTellingMs = 1000

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
