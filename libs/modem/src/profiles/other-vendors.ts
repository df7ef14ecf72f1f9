import type { Query } from '../commands/query.ts'
import { type PinTries, pinCounter, pinTries } from '../commands/sim/pin-counter.ts'
import { readPinStateWithoutFinalResult } from '../commands/sim/sim-pin.ts'
import { probeAfterAnySign, probeWhenOverdue } from '../send/result-probe.ts'
import {
  cinterionToolkitCode,
  ericssonToolkitCode,
  sierraToolkitCode,
  telitToolkitCode,
  wavecomToolkitCode,
} from '../toolkit/toolkit-code.ts'
import { genericProfile, indicationLadder } from './generic.ts'
import type { Profile } from './profile.ts'

/** Alcatel and TCT sticks. */
export const alcatel: Profile = {
  ...genericProfile,
  name: 'alcatel',
  fingerprints: [{ manufacturer: /alcatel|\bTCT\b/i }, { usb: ['1bbb'] }],
  pinCounters: [pinCounter('AT+PNNM?', '+PNNM', 0, 1), ...genericProfile.pinCounters],
}

/** Cinterion, Gemalto and Thales, and the Siemens modules and terminals before them. */
export const cinterion: Profile = {
  ...genericProfile,
  name: 'cinterion',
  fingerprints: [
    { manufacturer: /cinterion|gemalto|thales|siemens/i },
    { manufacturer: /cinterion|gemalto|thales|siemens/i, model: /^(TC|MC|EHS|PHS|PLS|ELS|BGS|PXS|PLPS|HC)\d/i },
    { usb: ['1e2d', '0681'] },
  ],
  unsolicited: ['^SYSINFO', '^SSMSS', '^SIND', '^SCKS', '^SSTN', '^SHUTDOWN', '^SBC', '^EXIT', '^SIS'].map((code) => ({
    code,
  })),
  // The answer contains the attempts left for the code that is currently required. The driver sends the query only
  // while the PIN is required.
  pinCounters: [pinCounter('AT^SPIC', '^SPIC', 0), ...genericProfile.pinCounters],
  iccidCommands: ['AT^SCID', ...genericProfile.iccidCommands],
  acknowledgement: 'one',
  toolkit: [cinterionToolkitCode, ...genericProfile.toolkit],
  // The EHS6 manual documents `AT+CMMS`, but other programs avoid this command for the whole family.
  submit: { ...genericProfile.submit, keepLinkOpen: false },
  radio: { ...genericProfile.radio, resetCommands: ['AT^SMSO=1', 'AT+CFUN=1,1'] },
}

/** D-Link DWM-156 and DWM-157. */
export const dlink: Profile = {
  ...genericProfile,
  name: 'dlink',
  fingerprints: [{ manufacturer: /d-?link/i }, { model: /DWM-?15[67]/i }, { usb: ['2001'] }],
  // Other commands work only after this command.
  radio: { ...genericProfile.radio, switchOnAtStart: 'always' },
  storage: { ...genericProfile.storage, notListable: ['SR'] },
}

/** Ericsson and Lenovo F3507g, F3607gw, F5521gw. */
export const ericsson: Profile = {
  ...genericProfile,
  name: 'ericsson',
  fingerprints: [{ manufacturer: /ericsson|\bMBM\b/i }, { usb: ['0bdb'] }],
  unsolicited: ['*STKI', '*STKN', '*STKEND'].map((code) => ({ code })),
  pinCounters: [pinCounter('AT*EPIN?', '*EPIN', 0, 1), ...genericProfile.pinCounters],
  toolkit: [ericssonToolkitCode, ...genericProfile.toolkit],
}

export const fibocom: Profile = {
  ...genericProfile,
  name: 'fibocom',
  fingerprints: [{ manufacturer: /fibocom/i }, { usb: ['2cb7', '1782:4d11'] }],
  unsolicited: ['+GTDRAT', '+SIM READY', '+SIM'].map((code) => ({ code })),
  advice: ['Made for MBIM; some of its USB modes have a command port.'],
}

/** Icera chips: Samsung and ST-Ericsson sticks, Vodafone K5. */
export const icera: Profile = {
  ...genericProfile,
  name: 'icera',
  fingerprints: [{ manufacturer: /icera|nvidia/i }, { usb: ['1983'] }],
  pinCounters: [pinCounter('AT%PINNUM?', '%PINNUM', 0, 1), ...genericProfile.pinCounters],
}

/** Intel XMM and Infineon chips. */
export const intel: Profile = {
  ...genericProfile,
  name: 'intel',
  fingerprints: [{ manufacturer: /intel|infineon|comneon/i }, { usb: ['8087', '1519'] }],
  pinCounters: [pinCounter('AT+XPINCNT', '+XPINCNT', 0, 2), ...genericProfile.pinCounters],
}

/** Nokia S60 and other smartphones: they send, but give no access to received messages (`+CPMS: (),(),()`). */
export const nokia: Profile = {
  ...genericProfile,
  name: 'nokia',
  fingerprints: [{ manufacturer: /nokia|symbian/i }, { usb: ['0421'] }],
  advice: ['Can send only: received messages stay in the memory of the phone, which the agent cannot read.'],
}

export const novatel: Profile = {
  ...genericProfile,
  name: 'novatel',
  fingerprints: [{ manufacturer: /novatel/i }, { usb: ['1410'] }],
  unsolicited: ['$NWRSSI', '^MODE', '$NWSTATUS'].map((code) => ({ code })),
  // A directly delivered report cannot be acknowledged, and the modem then stops answering. Therefore stored reports
  // are requested first.
  indications: indicationLadder([2, 0], [2, 1]),
}

/** Option GlobeTrotter, Vodafone Mobile Connect, GTM. */
export const option: Profile = {
  ...genericProfile,
  name: 'option',
  fingerprints: [
    { manufacturer: /option/i },
    { model: /globetrotter|GTM\d|vodafone mobile connect/i },
    { usb: ['0af0'] },
  ],
  unsolicited: ['_OSIGQ', '_OBS', '_OWANCALL', '_OSSYSI', '_OUWCTI', '_OCTI', '_OLCC', '_OPBS'].map((code) => ({
    code,
  })),
  pinQuirk: 'asks-when-disabled',
  pinCounters: [pinCounter('AT_OERCN?', '_OERCN', 0, 1), ...genericProfile.pinCounters],
  storage: { ...genericProfile.storage, indexBase: 0 },
}

/** Modems that identify as Qualcomm, including Gobi, and unbranded sticks. */
export const qualcomm: Profile = {
  ...genericProfile,
  name: 'qualcomm',
  fingerprints: [
    { manufacturer: /qualcomm/i },
    { model: /gobi|^M6280|^MDM\d|^MSM\d/i },
    { usb: ['05c6', '1c9e', '1bbb'] },
  ],
  unsolicited: ['$QCSQ', '^MODE', '^RSSI', '^HRSSILVL', '^CONN', '^CEND'].map((code) => ({ code })),
  avoid: ['AT+CSMP='],
  // The modem lists mode 2 and direct reports (1), but refuses both.
  indications: indicationLadder([1, 2, 0], [2, 1]),
  iccidCommands: ['AT+QCCID', 'AT$QCCID', ...genericProfile.iccidCommands],
  // A command does not abort a submission on these modems. Other programs show this: they wrote the next command 15 to
  // 60 s after a PDU and sent the message again, and it arrived twice.
  submit: { ...genericProfile.submit, probe: probeAfterAnySign },
  advice: ['The SIM is busy for some seconds after a start; SIM commands are retried.'],
}

export const sierra: Profile = {
  ...genericProfile,
  name: 'sierra',
  fingerprints: [{ manufacturer: /sierra/i }, { usb: ['1199'] }],
  unsolicited: ['^MODE', '!GSTATUS', '!STKC', '!STKN', '+WDSI', '+STIN'].map((code) => ({ code })),
  iccidCommands: ['AT!ICCID?', ...genericProfile.iccidCommands],
  // Sierra sells modules that Wavecom designed.
  toolkit: [sierraToolkitCode, wavecomToolkitCode, ...genericProfile.toolkit],
  indications: indicationLadder([1, 2, 0]),
  radio: { ...genericProfile.radio, settleMs: 2000, resetCommands: ['AT!RESET', 'AT+CFUN=1,1'] },
  usb: [
    {
      ids: ['1199'],
      interfaceNumber: 4,
      role: 'ppp',
      source: 'ModemManager',
      words: 'Sierra calls it the APP port. It answers OK to everything, so it cannot be used for commands.',
    },
    { ids: ['1199'], interfaceNumber: 3, role: 'at', source: 'ModemManager' },
  ],
}

/** The answer has no prefix: `PIN1=3; PUK1=10; PIN2=3; PUK2=10`. */
const speedupPinCounter: Query<PinTries> = {
  text: 'AT+CPNNUM',
  timeoutMs: 5000,
  bare: (line) => line.startsWith('PIN1='),
  read: (lines) => {
    const left = (code: string) => {
      const digits = new RegExp(`\\b${code}=(\\d{1,3})`).exec(lines.at(-1)?.text ?? '')?.[1]
      return digits === undefined ? undefined : Number(digits)
    }
    return pinTries(left('PIN1'), left('PUK1'))
  },
}

/** Longcheer sticks, sold as SpeedUp, Alcatel X, 4G Systems. */
export const speedup: Profile = {
  ...genericProfile,
  name: 'speedup',
  fingerprints: [{ manufacturer: /speedup|longcheer/i }, { usb: ['1c9e'] }],
  pinCounters: [speedupPinCounter, ...genericProfile.pinCounters],
}

export const telit: Profile = {
  ...genericProfile,
  name: 'telit',
  fingerprints: [
    { manufacturer: /telit/i },
    { manufacturer: /telit/i, model: /^(GE|GM|GL|HE|LE|ME|UE|UL|DE|CE)\d/i },
    { usb: ['1bc7'] },
  ],
  // The SIM toolkit of these modems sends an unsolicited code with every message.
  unsolicited: ['#STN', '#QSS', '#MWI', '#NITZ', '#PSNT', '#ECAM', '#MONI', 'SRING'].map((code) => ({ code })),
  // The answer contains the attempts left for the code that is currently required. The driver sends the query only
  // while the PIN is required.
  pinCounters: [pinCounter('AT#PCT', '#PCT', 0), ...genericProfile.pinCounters],
  iccidCommands: ['AT#CCID', ...genericProfile.iccidCommands],
  toolkit: [telitToolkitCode, ...genericProfile.toolkit],
  // The manuals say: wait for the result of `+CMGS` before any further command. A status report proves that the message
  // was sent.
  submit: { ...genericProfile.submit, probe: { ...probeWhenOverdue, learnsEarliest: false, afterReportMs: 2_000 } },
  radio: { ...genericProfile.radio, resetCommands: ['AT#REBOOT', 'AT+CFUN=1,1'] },
  variants: [{ fits: { model: /^HE910/i }, changes: { characterSet: 'GSM', ussdEncodings: ['plain'] } }],
}

export const ublox: Profile = {
  ...genericProfile,
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
  pinCounters: [pinCounter('AT+UPINCNT', '+UPINCNT', 0, 2), ...genericProfile.pinCounters],
  // The manuals describe `+CMGS` with `Can be aborted: No`.
  submit: { ...genericProfile.submit, probe: probeAfterAnySign, linkOpenMs: 5000 },
  // The ports appear a second before the modem is ready for commands.
  radio: { ...genericProfile.radio, contactSettleMs: 1000, resetCommands: ['AT+CFUN=16', 'AT+CFUN=1,1'] },
}

/** Wavecom modules, Q2xxx and Fastrack; they answer `+CPIN?` without OK, and accept one memory in `+CPMS=`. */
export const wavecom: Profile = {
  ...genericProfile,
  name: 'wavecom',
  fingerprints: [{ manufacturer: /wavecom/i }, { model: /^(MULTIBAND|Q2\d{3}|WISMO|FASTRACK)/i }],
  unsolicited: [{ code: '+WIND', body: '4', restart: 'likely' as const }, { code: '+WIND' }, { code: '+STIN' }],
  pinState: readPinStateWithoutFinalResult,
  storage: { ...genericProfile.storage, selectTakes: 1, receiveInto: ['SM'] },
  toolkit: [wavecomToolkitCode, ...genericProfile.toolkit],
}
