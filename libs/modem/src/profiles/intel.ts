import { pinCounter } from '../commands/pin-counter.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

/** Intel XMM and Infineon chips. */
export const intel: Profile = {
  ...generic,
  name: 'intel',
  fingerprints: [{ manufacturer: /intel|infineon|comneon/i }, { usb: ['8087', '1519'] }],
  pinCounters: [pinCounter('AT+XPINCNT', '+XPINCNT', 0, 2), ...generic.pinCounters],
}
