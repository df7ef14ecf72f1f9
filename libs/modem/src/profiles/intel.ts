import { cardPinCounter, intelPinCounter, standardPinCounter } from '../commands/pin-counter.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

/** Intel XMM and Infineon chips. */
export const intel: Profile = {
  ...generic,
  name: 'intel',
  fingerprints: [{ manufacturer: /intel|infineon|comneon/i }, { usb: ['8087', '1519'] }],
  pinCounters: [intelPinCounter, standardPinCounter, cardPinCounter],
}
