import { generic, indicationLadder } from './generic.ts'
import type { Profile } from './profile.ts'

export const novatel: Profile = {
  ...generic,
  name: 'novatel',
  fingerprints: [{ manufacturer: /novatel/i }, { usb: ['1410'] }],
  unsolicited: ['$NWRSSI', '^MODE', '$NWSTATUS'].map((code) => ({ code })),
  // A report delivered straight cannot be acknowledged there, and without that the modem falls silent: stored first.
  indications: indicationLadder([2, 0], [2, 1]),
}
