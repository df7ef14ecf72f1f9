import { pinCounter } from '../commands/sim/pin-counter.ts'
import { probeAfterAnySign } from '../send/result-probe.ts'
import { huaweiToolkitCode } from '../toolkit/toolkit-code.ts'
import { genericProfile } from './generic.ts'
import type { Profile } from './profile.ts'

const readAllPorts = 'Unsolicited codes arrive only on the PC UI port; an unread port fills up and may crash the stick.'

const unspecified = /^ff\/ff\/ff$/i

/** Huawei sticks and modules: E1xx, E173, E3xx, K4xxx, E3372 with stick firmware, MU and ME modules. */
export const huawei: Profile = {
  ...genericProfile,
  name: 'huawei',
  fingerprints: [
    { manufacturer: /huawei/i },
    { manufacturer: /huawei/i, model: /^(E\d{3}|K\d{4}|MU\d|ME\d|MS\d)/i },
    // Brovi sells sticks that Huawei makes.
    { usb: ['12d1', '3566'] },
  ],
  unsolicited: [
    ...['^RSSI', '^RSSILVL', '^HRSSILVL', '^MODE', '^BOOT', '^DSFLOWRPT', '^HCSQ', '^CSNR', '^SRVST', '^STIN'],
    ...['^NWTIME', '^NDISSTAT', '^PDPDEACT', '^RFSWITCH', '^EONS', '^LWURC', '^ECCLIST', '^CSCHANNELINFO'],
    ...[
      '^CCALLSTATE',
      '^LTERSRP',
      '^SMMEMFULL',
      '^THERM',
      '^CONF',
      '^ORIG',
      '^CONN',
      '^CEND',
      '^ANLEVEL',
      '^XDSFLOWRPT',
    ],
  ].map((code) => ({ code })),
  // Without this command, the modem reports signal and traffic several times per second, even inside answers.
  calming: ['AT^CURC=0'],
  avoid: [],
  // `^CPIN: SIM PIN,3,10,3,10,3`: the state, the attempts left for the required code, and the attempts left for PUK,
  // PIN, PUK2 and PIN2.
  pinCounters: [pinCounter('AT^CPIN?', '^CPIN', 3, 2), ...genericProfile.pinCounters],
  iccidCommands: ['AT^ICCID?', ...genericProfile.iccidCommands],
  storage: { ...genericProfile.storage, indexBase: 0 },
  // A command does not abort a submission on these modems. Other programs show this: they wrote the next command 15 to
  // 60 s after a PDU and sent the message again, and it arrived twice.
  submit: { ...genericProfile.submit, probe: probeAfterAnySign },
  toolkit: [huaweiToolkitCode, ...genericProfile.toolkit],
  ussdEncodings: ['packed-hex', 'plain', 'ucs2-hex'],
  // `^RESET` restarts most Huawei modems; modules need `+CFUN`.
  radio: { ...genericProfile.radio, resetCommands: ['AT^RESET', 'AT+CFUN=1,1'] },
  usb: [
    {
      ids: ['12d1:14db', '12d1:14dc'],
      role: 'not-a-modem',
      source: 'usb_modeswitch',
      words:
        'the device runs HiLink firmware, so it is a network card with a web interface and has no command port. ' +
        'The agent uses the web interface if the kernel has a network interface for the device.',
    },
    // In firmware whose interface classes have no meaning, the PC UI port comes last.
    { ids: ['12d1:1001'], interfaceNumber: 2, interfaceClass: unspecified, role: 'at', source: 'reports' },
    { ids: ['12d1:140c'], interfaceNumber: 3, interfaceClass: unspecified, role: 'at', source: 'reports' },
    { ids: ['12d1:1436'], interfaceNumber: 4, interfaceClass: unspecified, role: 'at', source: 'reports' },
    { ids: ['12d1'], interfaceClass: /^ff\/0[126]\/(05|14)$/i, role: 'nmea', source: 'ModemManager' },
    { ids: ['12d1'], interfaceClass: /^ff\/0[12]\/01$/i, role: 'ppp', source: 'ModemManager' },
    { ids: ['12d1'], interfaceClass: /^ff\/0[12]\/02$/i, role: 'at', source: 'ModemManager' },
    { ids: ['12d1'], interfaceClass: /^ff\/0[12]\/(03|12)$/i, role: 'at-secondary', source: 'reports' },
  ],
  advice: [readAllPorts],
  variants: [
    {
      fits: { model: /^(E1\d{2}|E2[27]\d|E372|K3)/i },
      changes: {
        storage: { ...genericProfile.storage, indexBase: 0, listingHangs: true },
        advice: [readAllPorts, 'After hours of listing messages, the modem may hang until it is reset.'],
      },
    },
    {
      fits: { model: /^E3531/i },
      changes: { storage: { ...genericProfile.storage, indexBase: 0, usageLagMs: 500 } },
    },
    { fits: { model: /^MU609/i }, changes: { avoid: ['AT^GETPORTMODE'] } },
    { fits: { model: /^MU736/i }, changes: { radio: { ...genericProfile.radio, resetCommands: ['AT+CFUN=16'] } } },
  ],
}
