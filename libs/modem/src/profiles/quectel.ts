import type { Query } from '../commands/query.ts'
import { type PinTries, pinCounter, pinTries } from '../commands/sim/pin-counter.ts'
import { probeAfterAnySign } from '../send/result-probe.ts'
import { integerOf, parameterText, parseParameters } from '../wire/at-parameters.ts'
import { genericProfile, indicationLadder } from './generic.ts'
import type { Profile } from './profile.ts'

// A command does not abort a submission on these modems. Other programs show this: they wrote the next command 15 to
// 60 s after a PDU and sent the message again, and it arrived twice.
const submit = { ...genericProfile.submit, probe: probeAfterAnySign }
const maker = /quectel/i

/** The answer is `+QPINC: "SC",3,10` and a second line for `"P2"`. */
const quectelPinCounter: Query<PinTries> = {
  text: 'AT+QPINC?',
  timeoutMs: 5000,
  prefixes: ['+QPINC'],
  read: (lines) => {
    const row = lines
      .map((line) => parseParameters(line.body))
      .find((parameters) => parameterText(parameters[0]) === 'SC')
    return row && pinTries(integerOf(row[1]), integerOf(row[2]))
  },
}

/** EC2x, EG2x, EG9x, EP06, RM, BG96 and similar: LTE on Qualcomm chips, over USB. */
export const quectel: Profile = {
  ...genericProfile,
  name: 'quectel',
  fingerprints: [
    { manufacturer: maker },
    { manufacturer: maker, model: /^(EC|EG|EP|EM|RM|RG|BG|UC|UG|AG)\d/i },
    { usb: ['2c7c'] },
  ],
  unsolicited: [
    { code: '+QUSIM', restart: 'likely' as const },
    ...['+QIURC', '+QSTK', '+QNWINFO', '+QNITZ', '+QCSQ', '^MODE', '^RSSI', '^HCSQ'].map((code) => ({ code })),
  ],
  pinCounters: [quectelPinCounter, ...genericProfile.pinCounters],
  iccidCommands: ['AT+QCCID', 'AT+CCID', 'AT+CRSM=176,12258,0,0,10'],
  // EC25 and EG25 lose every stored report, so stored reports (2) are never requested.
  indications: indicationLadder([1, 0]),
  storage: { ...genericProfile.storage, indexBase: 0, receiveInto: ['ME', 'SM', 'MT'] },
  submit,
  ussdEncodings: ['plain', 'ucs2-hex', 'packed-hex'],
  usb: [
    // Newer modules declare the purpose of a port in the protocol of its interface.
    { ids: ['2c7c'], interfaceClass: /^ff\/(00|ff)\/30$/i, role: 'diagnostic', source: 'kernel' },
    { ids: ['2c7c'], interfaceClass: /^ff\/(00|ff)\/40$/i, role: 'at', source: 'kernel' },
    { ids: ['2c7c'], interfaceClass: /^ff\/(00|ff)\/60$/i, role: 'nmea', source: 'kernel' },
    { ids: ['2c7c'], interfaceNumber: 0, role: 'diagnostic', source: 'manual' },
    { ids: ['2c7c'], interfaceNumber: 1, role: 'nmea', source: 'manual' },
    { ids: ['2c7c'], interfaceNumber: 2, role: 'at', source: 'manual' },
    { ids: ['2c7c'], interfaceNumber: 3, role: 'at-secondary', source: 'manual' },
  ],
  advice: [
    'If messages fail only on LTE, enable or disable IMS (`AT+QCFG="ims"`) or choose the bearer of messages (`AT+CGSMS`).',
  ],
  variants: [{ fits: { model: /^BG\d/i }, changes: { submit: { ...submit, resultTimeoutMs: 300_000 } } }],
}

/** M10, M26, M35, M66, M95, MC20: GSM on a serial line. */
export const quectelSerial: Profile = {
  ...genericProfile,
  name: 'quectel-serial',
  fingerprints: [
    { manufacturer: maker, model: /^M(C)?\d{2}|_M\d{2}/i },
    { manufacturer: maker, firmware: /^M(C)?\d{2}/i },
  ],
  unsolicited: [{ code: '+QUSIM', restart: 'likely' as const }, { code: '+QNITZ' }, { code: '+QSTK' }],
  pinCounters: [pinCounter('AT+QTRPIN', '+QTRPIN', 0, 2), ...genericProfile.pinCounters],
  submit,
  ussdEncodings: ['plain', 'ucs2-hex', 'packed-hex'],
  acknowledgement: 'bare',
}
