import { indications, type MessageIndications } from '../commands/messages/message-indications.ts'
import { cardPinCounter, standardPinCounter } from '../commands/sim/pin-counter.ts'
import { readPinState } from '../commands/sim/sim-pin.ts'
import { probeWhenOverdue } from '../send/result-probe.ts'
import { standardToolkitCode } from '../toolkit/toolkit-code.ts'
import type { Profile } from './profile.ts'

/** The profile of unknown modems. The profile assumes only that the modem follows 27.005 and 27.007. */
export const genericProfile: Profile = {
  name: 'generic',
  fingerprints: [],
  variants: [],
  unsolicited: [],
  calming: [],
  avoid: [],

  pinState: readPinState,
  pinQuirk: 'none',
  pinCounters: [standardPinCounter, cardPinCounter],
  iccidCommands: ['AT+CCID', 'AT+QCCID', 'AT+ICCID', 'AT+CRSM=176,12258,0,0,10'],

  characterSet: 'GSM',
  messageService: 0,
  acknowledgement: 'bare',
  indications: indicationLadder([1, 2, 0]),

  storage: {
    receiveInto: ['SM', 'ME', 'MT'],
    selectTakes: 3,
    indexBase: 1,
    usageLagMs: 0,
    listingHangs: false,
    notListable: [],
    deletingDeletesSiblings: false,
  },
  submit: {
    promptTimeoutMs: 10_000,
    resultTimeoutMs: 120_000,
    probe: probeWhenOverdue,
    keepLinkOpen: true,
    linkOpenMs: 1000,
  },
  toolkit: [standardToolkitCode],
  ussdEncodings: ['plain', 'packed-hex', 'ucs2-hex'],
  radio: { switchOnAtStart: 'if-off', settleMs: 0, contactSettleMs: 0, resetCommands: ['AT+CFUN=1,1', 'ATZ'] },
  usb: [],
  advice: [],
}

/**
 * By default, mode 2 comes before mode 1. Each mode is tried with the settings for reports in the given order (1
 * direct, 2 stored, 0 none). Cell broadcasts are never requested, because the driver does not use them.
 */
export function indicationLadder(
  reports: readonly MessageIndications['reports'][],
  modes: readonly MessageIndications['mode'][] = [2, 1],
): readonly MessageIndications[] {
  return modes.flatMap((mode) => reports.map((report) => indications(mode, 1, report)))
}
