import type { SmsGateway } from '@smsgw/client'
import type { DeviceDetail } from '@smsgw/client/openapi'

const REFRESH_MS = 60_000

export interface OwnSim {
  readonly deviceId: string
  readonly simNumber: number
}

/** Finds the SIM that has a phone number. */
export class OwnNumbers {
  readonly #api: SmsGateway
  readonly #now: () => number
  #readAt = Number.NEGATIVE_INFINITY
  #sims: Promise<ReadonlyMap<string, OwnSim>> = Promise.resolve(new Map())

  constructor(api: SmsGateway, now: () => number) {
    this.#api = api
    this.#now = now
  }

  /** @param number digits, with or without `+` */
  async find(number: string): Promise<OwnSim | undefined> {
    const digits = number.replace(/^\+/, '')
    if (!/^\d{5,15}$/.test(digits)) return undefined
    if (this.#now() - this.#readAt > REFRESH_MS) {
      this.#readAt = this.#now()
      this.#sims = this.#read()
      this.#sims.catch(() => {
        this.#readAt = Number.NEGATIVE_INFINITY
      })
    }
    return (await this.#sims).get(digits)
  }

  async #read(): Promise<ReadonlyMap<string, OwnSim>> {
    const devices = (await this.#api.devices.list()) as DeviceDetail[]
    return new Map(
      devices.flatMap(({ id, simCards }) =>
        simCards.flatMap(({ phoneNumber, simNumber }) =>
          phoneNumber === undefined || phoneNumber === null
            ? []
            : [[phoneNumber.replace(/^\+/, ''), { deviceId: id, simNumber }] as const],
        ),
      ),
    )
  }
}
