import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

export const fibocom: Profile = {
  ...generic,
  name: 'fibocom',
  fingerprints: [{ manufacturer: /fibocom/i }, { usb: ['2cb7'] }],
  unsolicited: ['+GTDRAT', '+SIM READY', '+SIM'].map((code) => ({ code })),
  advice: ['Made for MBIM; where it has a port for commands, the udev rules of the package say which.'],
}
