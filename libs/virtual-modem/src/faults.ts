import { dialogueFaults } from './faults/dialogue.ts'
import { listingFaults } from './faults/listing.ts'
import { mmsFaults } from './faults/mms.ts'
import { partsFaults } from './faults/parts.ts'
import { portFaults } from './faults/port.ts'
import { promptFaults } from './faults/prompt.ts'
import { registrationFaults } from './faults/registration.ts'
import { simFaults } from './faults/sim.ts'
import { storageFaults } from './faults/storage.ts'
import { submitFaults } from './faults/submit.ts'
import { unsolicitedFaults } from './faults/unsolicited.ts'
import { ussdFaults } from './faults/ussd.ts'

export const faultDescriptions = {
  ...promptFaults,
  ...unsolicitedFaults,
  ...dialogueFaults,
  ...submitFaults,
  ...storageFaults,
  ...listingFaults,
  ...partsFaults,
  ...simFaults,
  ...registrationFaults,
  ...ussdFaults,
  ...mmsFaults,
  ...portFaults,
}

export type FaultName = keyof typeof faultDescriptions
export type FaultOptions<N extends FaultName> = (typeof faultDescriptions)[N]['options']

/** For a view or a control interface: every fault with what it does and the options it takes, defaults included. */
export const faultCatalogue: readonly FaultCatalogueEntry[] = (Object.keys(faultDescriptions) as FaultName[]).map(
  (name) => ({ name, ...faultDescriptions[name] }),
)

export interface FaultCatalogueEntry {
  readonly name: FaultName
  readonly about: string
  readonly options: Readonly<Record<string, number | string | boolean>>
}

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faultDescriptions, name)
}
