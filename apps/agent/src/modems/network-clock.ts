import type { Clock } from '@smsgw/modem/clock'
import type { NetworkTime } from '@smsgw/modem/commands/network/network-time'

/**
 * The clock of the mobile network, compared with the clock of this machine. The comparison does not set either clock.
 */
export class NetworkClock {
  readonly #clock: Clock
  readonly #systemMs: () => number
  #last: { readonly epochMs: number; readonly atMs: number } | undefined

  constructor(clock: Clock, systemMs: () => number) {
    this.#clock = clock
    this.#systemMs = systemMs
  }

  /** Returns false for a local time without its zone, because it may be wrong by hours. */
  take({ epochMs, zoneQuarters }: NetworkTime): boolean {
    if (zoneQuarters === undefined) return false
    this.#last = { epochMs, atMs: this.#clock.nowMs() }
    return true
  }

  /** How far the network is ahead of this machine; undefined until it has reported a time. */
  get aheadMs(): number | undefined {
    if (this.#last === undefined) return undefined
    const { epochMs, atMs } = this.#last
    return epochMs + (this.#clock.nowMs() - atMs) - this.#systemMs()
  }
}

/** Describes the difference between the clock of the network and the clock of this machine. */
export function networkClockText(aheadMs: number): string {
  const minutes = Math.round(Math.abs(aheadMs) / 60_000)
  const text = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
  return `the clock of the network is ${text} ${aheadMs < 0 ? 'behind' : 'ahead of'} the clock of this machine`
}
