import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

export const fibocom: Profile = {
  ...generic,
  name: 'fibocom',
  fingerprints: [{ manufacturer: /fibocom/i }, { usb: ['2cb7', '1782:4d11'] }],
  unsolicited: ['+GTDRAT', '+SIM READY', '+SIM'].map((code) => ({ code })),
  usb: [
    // FM150 and MA510
    { ids: ['2cb7:0104', '2cb7:0106'], interfaceNumber: 1, role: 'at' },
    { ids: ['2cb7:0104', '2cb7:0106'], interfaceNumber: 2, role: 'at-secondary' },
    // L850, NL668, FM101
    { ids: ['2cb7:0007', '2cb7:01a0', '2cb7:01a2'], interfaceNumber: 2, role: 'at' },
    { ids: ['2cb7:0007'], interfaceNumber: 6, role: 'at-secondary' },
    { ids: ['2cb7:01a0', '2cb7:01a2'], interfaceNumber: 3, role: 'at-secondary' },
    // FM101 with a debug bridge
    { ids: ['2cb7:01a4'], interfaceNumber: 3, role: 'at' },
    // L610
    { ids: ['1782:4d11'], interfaceNumber: 2, role: 'at' },
    { ids: ['1782:4d11'], interfaceNumber: 7, role: 'at-secondary' },
    { ids: ['1782:4d11'], interfaceNumber: 8, role: 'at-secondary' },
    { ids: ['2cb7:0007', '2cb7:0104', '2cb7:0106', '2cb7:01a0', '2cb7:01a2', '2cb7:01a4'], role: 'diagnostic' },
    { ids: ['1782:4d11'], role: 'diagnostic' },
  ],
  advice: ['Made for MBIM; some of its USB modes have a port for commands.'],
}
