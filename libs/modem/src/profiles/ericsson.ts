import { pinCounter } from '../commands/pin-counter.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

/** Ericsson and Lenovo F3507g, F3607gw, F5521gw. */
export const ericsson: Profile = {
  ...generic,
  name: 'ericsson',
  fingerprints: [{ manufacturer: /ericsson|\bMBM\b/i }, { usb: ['0bdb'] }],
  pinCounters: [pinCounter('AT*EPIN?', '*EPIN', 0, 1), ...generic.pinCounters],
}
