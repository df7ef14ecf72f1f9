import type { SimCardAnswer } from '@smsgw/contract/devices/device'

/** A SIM, as an agent reports it or as the database stores it. */
interface KnownSimCard {
  readonly simNumber: number
  readonly state: string
  /** The name given to the slot. */
  readonly name?: string | undefined
  readonly phoneNumber?: string | null | undefined
  readonly carrierName?: string | null | undefined
  readonly iccid?: string | null | undefined
  readonly signal?: number | null | undefined
  readonly isEmulated?: boolean | undefined
}

/** Returns a SIM as the API and webhooks show it. */
export function simCardAnswer(sim: KnownSimCard): SimCardAnswer {
  const { simNumber, name, phoneNumber, carrierName, iccid, signal, state, isEmulated } = sim
  return {
    slotIndex: simNumber - 1,
    simNumber,
    ...(name !== undefined && { name }),
    ...(phoneNumber != null && { phoneNumber }),
    ...(carrierName != null && { carrierName }),
    ...(iccid != null && { iccid }),
    ...(signal != null && { signal }),
    state,
    ...(isEmulated && { isEmulated }),
  }
}
