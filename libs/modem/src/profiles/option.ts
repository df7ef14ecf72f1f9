import { pinCounter } from '../commands/pin-counter.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

/** Option GlobeTrotter, Vodafone Mobile Connect, GTM. */
export const option: Profile = {
  ...generic,
  name: 'option',
  fingerprints: [
    { manufacturer: /option/i },
    { model: /globetrotter|GTM\d|vodafone mobile connect/i },
    { usb: ['0af0'] },
  ],
  unsolicited: ['_OSIGQ', '_OBS', '_OWANCALL', '_OSSYSI', '_OUWCTI', '_OCTI', '_OLCC', '_OPBS'].map((code) => ({
    code,
  })),
  pinQuirk: 'asks-when-disabled',
  pinCounters: [pinCounter('AT_OERCN?', '_OERCN', 0, 1), ...generic.pinCounters],
  storage: { ...generic.storage, indexBase: 0 },
}
