import { cardPinCounter, standardPinCounter, ztePinCounter } from '../commands/pin-counter.ts'
import { generic, indicationLadder } from './generic.ts'
import type { Profile } from './profile.ts'

export const zte: Profile = {
  ...generic,
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
  // Unasked for messages wait in it until it crashes (`+ZUSIMR:2`, again and again); the storage read out stops that.
  // No CD-ROM, no choice of operator by the stick.
  calming: ['AT+CPMS?', 'AT+ZCDRUN=8', 'AT+ZOPRT=5'],
  // It clears the number of the service centre.
  avoid: ['AT+CSMP='],
  pinCounters: [ztePinCounter, standardPinCounter, cardPinCounter],
  iccidCommands: ['AT+ZGETICCID', ...generic.iccidCommands],
  storage: { ...generic.storage, receiveInto: ['SM', 'ME', 'MT'] },
  // Advertises mode 2 and often refuses it.
  indications: indicationLadder([1, 2, 0]),
  radio: { ...generic.radio, resetCommands: ['AT+ZRST', 'AT+CFUN=1,1'] },
  variants: [
    {
      fits: { model: /^MF190/i },
      changes: { advice: ['Some firmware of the MF190 gives no delivery reports, whatever it is asked.'] },
    },
  ],
}
