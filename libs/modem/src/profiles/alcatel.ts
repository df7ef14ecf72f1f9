import { pinCounter } from '../commands/pin-counter.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

/** Alcatel and TCT sticks. */
export const alcatel: Profile = {
  ...generic,
  name: 'alcatel',
  fingerprints: [{ manufacturer: /alcatel|\bTCT\b/i }, { usb: ['1bbb'] }],
  pinCounters: [pinCounter('AT+PNNM?', '+PNNM', 0, 1), ...generic.pinCounters],
}
