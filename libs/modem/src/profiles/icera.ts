import { pinCounter } from '../commands/pin-counter.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

/** Icera chips: Samsung and ST-Ericsson sticks, Vodafone K5. */
export const icera: Profile = {
  ...generic,
  name: 'icera',
  fingerprints: [{ manufacturer: /icera|nvidia/i }, { usb: ['1983'] }],
  pinCounters: [pinCounter('AT%PINNUM?', '%PINNUM', 0, 1), ...generic.pinCounters],
}
