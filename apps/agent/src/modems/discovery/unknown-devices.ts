import type { Clock } from '@smsgw/modem/clock'
import type { ModemNumber } from '@smsgw/modem/commands/identity'
import type { ModemSite } from './find-places.ts'
import type { Identified } from './identify-place.ts'

/**
 * Devices that may or may not be a modem. Each device is probed a few times, in case it is still starting. After that,
 * it is probed again only after it was plugged in again. These devices are never reset.
 */
export class UnknownDevices {
  readonly #options: UnknownDevicesOptions
  readonly #probes = new Map<string, { attempts: number; nextMs: number }>()

  constructor(options: UnknownDevicesOptions) {
    this.#options = options
  }

  /** Probes the device, unless it was probed recently or has already been probed often enough. */
  probe(place: ModemSite): void {
    const { clock } = this.#options
    const session = sessionOf(place)
    const probed = this.#probes.get(session) ?? { attempts: 0, nextMs: 0 }
    this.#probes.set(session, probed)
    if (probed.attempts >= maxAttempts || clock.nowMs() < probed.nextMs) return
    probed.attempts += 1
    probed.nextMs = Number.POSITIVE_INFINITY
    void this.#identify(place).then((isModem) => {
      probed.nextMs = clock.nowMs() + pauseMs
      if (isModem) this.#probes.delete(session)
      else if (probed.attempts === maxAttempts) {
        const language = place.ports[0]?.startsWith('hilink:') ? 'as a HiLink stick' : 'AT commands'
        this.#options.onUnusable(
          `${place.ports.join(', ')}: looks like a modem but does not answer ${language}, so the device is not used. ` +
            `If the device is a modem, set MODEMS=${place.ports[0]}`,
        )
      }
    })
  }

  /** Forgets devices that are no longer connected. */
  present(places: readonly ModemSite[]): void {
    const sessions = new Set(places.map(sessionOf))
    for (const session of this.#probes.keys()) if (!sessions.has(session)) this.#probes.delete(session)
  }

  async #identify(place: ModemSite): Promise<boolean> {
    const found = await this.#options.identify(place)
    if (!('port' in found)) return false
    await found.port.close()
    if (found.kind === 'silent') return false
    this.#options.onModem(place, found.kind === 'modem' ? found.number : undefined)
    return true
  }
}

export interface UnknownDevicesOptions {
  readonly clock: Clock
  readonly identify: (place: ModemSite) => Promise<Identified>
  readonly onModem: (place: ModemSite, number: ModemNumber | undefined) => void
  readonly onUnusable: (problem: string) => void
}

const sessionOf = ({ key, usb }: ModemSite): string => usb?.session ?? key

const maxAttempts = 4
const pauseMs = 15_000
