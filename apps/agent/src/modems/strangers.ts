import type { Clock } from '@smsgw/modem/clock'
import type { Place } from './find-places.ts'
import type { Identified } from './identify-place.ts'

/**
 * Devices that may be a modem and may be something else: each is asked a few times while it starts, and then left alone
 * until it is plugged in anew. None is ever reset.
 */
export class Strangers {
  readonly #options: StrangersOptions
  readonly #met = new Map<string, { tries: number; nextMs: number }>()

  constructor(options: StrangersOptions) {
    this.#options = options
  }

  /** It is there, and nobody knows it. */
  meet(place: Place): void {
    const { clock } = this.#options
    const session = sessionOf(place)
    const known = this.#met.get(session) ?? { tries: 0, nextMs: 0 }
    this.#met.set(session, known)
    if (known.tries >= mostTries || clock.nowMs() < known.nextMs) return
    known.tries += 1
    known.nextMs = Number.POSITIVE_INFINITY
    void this.#ask(place).then((isKnown) => {
      known.nextMs = clock.nowMs() + pauseMs
      if (isKnown) this.#met.delete(session)
      else if (known.tries === mostTries) {
        this.#options.onUnusable(
          `${place.ports.join(', ')}: it looks like a modem and does not answer as one. It is left alone; ` +
            `if it is one, name its port: MODEMS=${place.ports[0]}`,
        )
      }
    })
  }

  /** Who is not among them is forgotten. */
  present(places: readonly Place[]): void {
    const sessions = new Set(places.map(sessionOf))
    for (const session of this.#met.keys()) if (!sessions.has(session)) this.#met.delete(session)
  }

  async #ask(place: Place): Promise<boolean> {
    const found = await this.#options.identify(place)
    if (!('port' in found)) return false
    await found.port.close()
    if (found.kind === 'modem') this.#options.onModem(place, found.imei)
    return found.kind === 'modem'
  }
}

export interface StrangersOptions {
  readonly clock: Clock
  readonly identify: (place: Place) => Promise<Identified>
  readonly onModem: (place: Place, imei: string) => void
  readonly onUnusable: (words: string) => void
}

const sessionOf = ({ key, usb }: Place): string => usb?.session ?? key

const mostTries = 4
const pauseMs = 15_000
