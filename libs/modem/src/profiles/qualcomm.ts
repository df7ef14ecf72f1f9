import { generic, indicationLadder } from './generic.ts'
import type { Profile } from './profile.ts'

/** Modems on Qualcomm chips that show it, Gobi among them, and sticks without a maker of their own. */
export const qualcomm: Profile = {
  ...generic,
  name: 'qualcomm',
  fingerprints: [
    { manufacturer: /qualcomm/i },
    { model: /gobi|^M6280|^MDM\d|^MSM\d/i },
    { usb: ['05c6', '1c9e', '1bbb'] },
  ],
  unsolicited: ['$QCSQ', '^MODE', '^RSSI', '^HRSSILVL', '^CONN', '^CEND'].map((code) => ({ code })),
  avoid: ['AT+CSMP='],
  // Mode 2 is advertised and refused, reports straight (1) too.
  indications: indicationLadder([1, 2, 0], [2, 1]),
  iccidCommands: ['AT+QCCID', 'AT$QCCID', ...generic.iccidCommands],
  advice: ['The SIM is busy for some seconds after a start; commands about it are tried again.'],
}
