import { cardPinCounter, standardPinCounter, ubloxPinCounter } from '../commands/pin-counter.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

export const ublox: Profile = {
  ...generic,
  name: 'ublox',
  fingerprints: [
    { manufacturer: /u-?blox/i },
    { manufacturer: /u-?blox/i, model: /TOBY|LISA|SARA|LARA|LEON|MPCI/i },
    { usb: ['1546'] },
  ],
  unsolicited: [
    { code: '+UUSTS' },
    { code: '+UUSIMSTAT', restart: 'likely' as const },
    ...['+UUSORD', '+UUPSDD', '+UUPSDA', '+UUGIND', '+UUFTPCR', '+UMWI'].map((code) => ({ code })),
  ],
  pinCounters: [ubloxPinCounter, standardPinCounter, cardPinCounter],
  submit: { ...generic.submit, linkOpenMs: 5000 },
  // Ports are there a second before the modem behind them can be used.
  radio: { ...generic.radio, contactSettleMs: 1000, resetCommands: ['AT+CFUN=16', 'AT+CFUN=1,1'] },
}
