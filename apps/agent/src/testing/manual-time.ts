import type { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import type { TrustedTime } from '../time/trusted-time.ts'

/** The simulated time of day, in UTC. */
export class ManualTime implements TrustedTime {
  readonly #clock: ManualClock
  trusted = true
  /** The difference between the system clock and the correct time. */
  errorMs = 0
  bootId = 'boot-1'

  constructor(clock: ManualClock) {
    this.#clock = clock
  }

  now() {
    return { wallMs: Math.round(this.#clock.epochMs() + this.errorMs), trusted: this.trusted }
  }

  stamp() {
    return { ...this.now(), bootId: this.bootId, monotonicMs: this.#clock.nowMs() }
  }

  local(wallMs: number): string {
    return new Date(wallMs).toISOString().replace('Z', '+00:00')
  }

  minuteOfDay(wallMs: number): number {
    const at = new Date(wallMs)
    return at.getUTCHours() * 60 + at.getUTCMinutes()
  }
}
