import { pinCounter } from '../commands/pin-counter.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

export const telit: Profile = {
  ...generic,
  name: 'telit',
  fingerprints: [
    { manufacturer: /telit/i },
    { manufacturer: /telit/i, model: /^(GE|GM|GL|HE|LE|ME|UE|UL|DE|CE)\d/i },
    { usb: ['1bc7'] },
  ],
  // The SIM toolkit speaks up at every message.
  unsolicited: ['#STN', '#QSS', '#MWI', '#NITZ', '#PSNT', '#ECAM', '#MONI', 'SRING'].map((code) => ({ code })),
  // For the code that is asked for at the moment, which is the PIN whenever we ask.
  pinCounters: [pinCounter('AT#PCT', '#PCT', 0), ...generic.pinCounters],
  iccidCommands: ['AT#CCID', ...generic.iccidCommands],
  radio: { ...generic.radio, resetCommands: ['AT#REBOOT', 'AT+CFUN=1,1'] },
  usb: [
    { ids: ['1bc7:0021'], interfaceNumber: 0, role: 'at' },
    { ids: ['1bc7:0021'], interfaceNumber: 6, role: 'at-secondary' },
    { ids: ['1bc7:1003', '1bc7:1004', '1bc7:1005', '1bc7:1006'], interfaceNumber: 0, role: 'at' },
    { ids: ['1bc7:1003', '1bc7:1006'], interfaceNumber: 2, role: 'at-secondary' },
    { ids: ['1bc7:1004', '1bc7:1005'], interfaceNumber: 2, role: 'nmea' },
    { ids: ['1bc7:1004', '1bc7:1005'], interfaceNumber: 3, role: 'at-secondary' },
    { ids: ['1bc7:1010'], interfaceNumber: 1, role: 'nmea' },
    { ids: ['1bc7:1010'], interfaceNumber: 2, role: 'at-secondary' },
    { ids: ['1bc7:1010'], interfaceNumber: 3, role: 'at' },
    { ids: ['1bc7:1011'], interfaceNumber: 1, role: 'at' },
  ],
  variants: [{ fits: { model: /^HE910/i }, changes: { characterSet: 'GSM', ussdEncodings: ['plain'] } }],
}
