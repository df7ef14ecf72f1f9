import { cardPinCounter, speedupPinCounter, standardPinCounter } from '../commands/pin-counter.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

/** Longcheer sticks, sold as SpeedUp, Alcatel X, 4G Systems. */
export const speedup: Profile = {
  ...generic,
  name: 'speedup',
  fingerprints: [{ manufacturer: /speedup|longcheer/i }, { usb: ['1c9e'] }],
  pinCounters: [speedupPinCounter, standardPinCounter, cardPinCounter],
}
