import { pinCounter } from '../commands/pin-counter.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

const cellularAcm = ['1546:1102', '1546:1107', '1546:110a']

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
  pinCounters: [pinCounter('AT+UPINCNT', '+UPINCNT', 0, 2), ...generic.pinCounters],
  submit: { ...generic.submit, linkOpenMs: 5000 },
  // Ports are there a second before the modem behind them can be used.
  radio: { ...generic.radio, contactSettleMs: 1000, resetCommands: ['AT+CFUN=16', 'AT+CFUN=1,1'] },
  usb: [
    // TOBY-L4
    { ids: ['1546:1010'], interfaceNumber: 6, role: 'at' },
    { ids: ['1546:1010'], interfaceNumber: 2, role: 'at-secondary' },
    { ids: ['1546:1010'], interfaceNumber: 4, role: 'diagnostic' },
    // TOBY-R2, LARA-R2, LISA-U2: three ports for commands; behind them positions, SIM access and logs.
    { ids: cellularAcm, interfaceNumber: 0, role: 'at' },
    { ids: cellularAcm, interfaceNumber: 2, role: 'at-secondary' },
    { ids: cellularAcm, interfaceNumber: 4, role: 'at-secondary' },
    { ids: cellularAcm, interfaceNumber: 6, role: 'nmea' },
    { ids: cellularAcm, role: 'diagnostic' },
  ],
}
