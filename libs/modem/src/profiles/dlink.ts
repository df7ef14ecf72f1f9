import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

/** D-Link DWM-156 and DWM-157. */
export const dlink: Profile = {
  ...generic,
  name: 'dlink',
  fingerprints: [{ manufacturer: /d-?link/i }, { model: /DWM-?15[67]/i }, { usb: ['2001'] }],
  // Nothing works before.
  radio: { ...generic.radio, switchOnAtStart: 'always' },
  storage: { ...generic.storage, notListable: ['SR'] },
}
