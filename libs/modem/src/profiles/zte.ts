import { pinCounter } from '../commands/sim/pin-counter.ts'
import { probeAfterAnySign } from '../send/result-probe.ts'
import { genericProfile, indicationLadder } from './generic.ts'
import type { Profile } from './profile.ts'

export const zte: Profile = {
  ...genericProfile,
  name: 'zte',
  fingerprints: [
    { manufacturer: /\bZTE\b/i },
    { manufacturer: /\bZTE\b/i, model: /^(MF|AC|AR)\d/i },
    { usb: ['19d2'] },
  ],
  unsolicited: [
    ...['+ZUSIMR', '+ZPASR', '+ZMSRI', '+ZSRVING', '+ZUSTART', '+ZDONR', '+ZCONSTAT', '+ZEND', '+ZPSTM', '+ZURDY'],
    ...['+ZNCNTRY', '+ZROAM', '+ZCFLAG', '+ZIMS', '^MODE', '^DSCI'],
  ].map((code) => ({ code })),
  // A modem that repeats `+ZUSIMR:2` accumulates unread messages until it crashes. Reading the storage prevents the
  // crash.
  calming: ['AT+CPMS?', 'AT+ZCDRUN=8', 'AT+ZOPRT=5'],
  // This command clears the number of the service centre.
  avoid: ['AT+CSMP='],
  pinCounters: [pinCounter('AT+ZPINPUK=?', '+ZPINPUK', 0, 1), ...genericProfile.pinCounters],
  iccidCommands: ['AT+ZGETICCID', ...genericProfile.iccidCommands],
  storage: { ...genericProfile.storage, receiveInto: ['SM', 'ME', 'MT'] },
  // A command does not abort a submission on these modems. Other programs show this: they wrote the next command 15 to
  // 60 s after a PDU and sent the message again, and it arrived twice.
  submit: { ...genericProfile.submit, probe: probeAfterAnySign },
  // These modems list mode 2, but often refuse it.
  indications: indicationLadder([1, 2, 0]),
  radio: { ...genericProfile.radio, resetCommands: ['AT+ZRST', 'AT+CFUN=1,1'] },
  variants: [
    {
      fits: { model: /^MF190/i },
      changes: { advice: ['Some firmware of the MF190 does not report delivery.'] },
    },
  ],
}
