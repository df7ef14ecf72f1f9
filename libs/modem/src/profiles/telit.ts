import { cardPinCounter, standardPinCounter, telitPinCounter } from '../commands/pin-counter.ts'
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
  pinCounters: [telitPinCounter, standardPinCounter, cardPinCounter],
  iccidCommands: ['AT#CCID', ...generic.iccidCommands],
  radio: { ...generic.radio, resetCommands: ['AT#REBOOT', 'AT+CFUN=1,1'] },
  variants: [{ fits: { model: /^HE910/i }, changes: { characterSet: 'GSM', ussdEncodings: ['plain'] } }],
}
