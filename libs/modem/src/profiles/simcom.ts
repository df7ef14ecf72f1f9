import { pinCounter } from '../commands/sim/pin-counter.ts'
import { probeAfterAnySign } from '../send/result-probe.ts'
import { simcomToolkitCode } from '../toolkit/toolkit-code.ts'
import { genericProfile, indicationLadder } from './generic.ts'
import type { Profile } from './profile.ts'

const noise = [
  '+STIN',
  '+CGEV',
  '*PSUTTZ',
  '*PSNWID',
  'DST',
  '+CMEXTERR',
  'VOICE CALL',
  '+CSMINS',
  '+APP PDP',
  '+FTPPUT',
]
const pinCounters = [pinCounter('AT+SPIC', '+SPIC', 0, 2), ...genericProfile.pinCounters]
// A command does not abort a submission on these modems. Other programs show this: they wrote the next command 15 to
// 60 s after a PDU and sent the message again, and it arrived twice.
const submit = { ...genericProfile.submit, probe: probeAfterAnySign }
const toolkit = [simcomToolkitCode, ...genericProfile.toolkit]
const maker = /simcom|simtech|^SIM/i

/** SIM300, SIM800 and SIM900: GSM on a serial line. */
export const simcom2g: Profile = {
  ...genericProfile,
  name: 'simcom-2g',
  fingerprints: [
    { manufacturer: maker, model: /SIM(3|6|8|9)\d{2}/i },
    { manufacturer: maker, firmware: /SIM(3|6|8|9)\d{2}/i },
    { model: /SIMCOM_SIM(8|9)\d{2}/i },
  ],
  unsolicited: noise.map((code) => ({ code })),
  pinCounters,
  submit,
  toolkit,
  indications: indicationLadder([1, 2, 0]),
  variants: [
    { fits: { model: /SIM300D/i }, changes: { ussdEncodings: ['packed-hex', 'plain', 'ucs2-hex'] } },
    {
      fits: { model: /SIM600/i },
      changes: { storage: { ...genericProfile.storage, deletingDeletesSiblings: true } },
    },
  ],
}

/** SIM7500 and SIM7600, SIM7070 and SIM7000: LTE and LTE-M on Qualcomm chips. */
export const simcomLte: Profile = {
  ...genericProfile,
  name: 'simcom-lte',
  fingerprints: [
    { manufacturer: maker, model: /SIM7([0-5]\d|6(?!7)\d)\d|SIM5\d{3}/i },
    { usb: ['1e0e:9001', '1e0e:9205', '1e0e:9206'] },
  ],
  unsolicited: [...noise, '+NITZ', '+SIMEI', '+CPCMREG'].map((code) => ({ code })),
  pinCounters,
  submit,
  toolkit,
  iccidCommands: ['AT+CICCID', ...genericProfile.iccidCommands],
  storage: { ...genericProfile.storage, indexBase: 0, receiveInto: ['ME', 'SM', 'MT'] },
  radio: { ...genericProfile.radio, resetCommands: ['AT+CRESET', 'AT+CFUN=1,1'] },
  advice: [
    'If messages fail only on LTE, the network requires IMS. Select 3G with `AT+CNMP=14`, or reset the settings once with `AT&F`.',
  ],
  variants: [
    {
      fits: { model: /SIM70\d{2}/i },
      changes: { submit: { ...submit, resultTimeoutMs: 300_000 } },
    },
  ],
}

/**
 * A7600, A7670 and SIM7670: LTE on ASR chips. These modems refuse message commands until `SMS DONE`, and their prompt
 * is `>` without a blank.
 */
export const simcomA76xx: Profile = {
  ...genericProfile,
  name: 'simcom-a76xx',
  fingerprints: [
    { manufacturer: /simcom|simtech|A76/i, model: /A76\d{2}|SIM767\d|SIM778\d/i },
    { model: /^A76\d{2}|^SIM767\d/i },
    { usb: ['1e0e:9011', '1e0e:9018'] },
  ],
  unsolicited: noise.map((code) => ({ code })),
  pinCounters,
  submit,
  toolkit,
  iccidCommands: ['AT+CICCID', ...genericProfile.iccidCommands],
  storage: { ...genericProfile.storage, indexBase: 0, receiveInto: ['ME', 'SM', 'MT'] },
  radio: { ...genericProfile.radio, resetCommands: ['AT+CRESET', 'AT+CFUN=1,1'] },
}
