import { pinCounter } from '../commands/pin-counter.ts'
import { probeAfterAnySign } from '../send/result-probe.ts'
import { generic, indicationLadder } from './generic.ts'
import type { Profile } from './profile.ts'

/**
 * The command ports differ by product, and the descriptors do not show them. This list is taken from the rules of
 * ModemManager.
 */
const portLayouts = [
  { at: 0, secondary: 1, products: '0003 0004 0005 0006 0007 0008 0009 000a' },
  { at: 0, secondary: 2, products: '0001 1515' },
  { at: 1, secondary: 3, products: '0015 0030 0054' },
  { at: 2, secondary: 0, products: '0064' },
  { at: 2, secondary: 1, products: '0016 0017 0018 0019 0117' },
  { at: 2, secondary: 4, products: '0002 0012 0024 0025 0055' },
  {
    at: 3,
    secondary: 1,
    products:
      '0021 0031 0037 0039 0042 0052 0057 0058 0061 0063 0066 0078 0082 0104 0106 0108 0122 0123 1007 1008 1010 1254 2002 2003',
  },
  { at: 3, secondary: 2, products: '0043' },
  { at: 4, secondary: 1, products: '0033 0091 0113 0118 0121 0124 0126 0128' },
  { at: 4, secondary: 2, products: '0048 0049' },
  { at: 5, secondary: 1, products: '0125' },
]

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
  // Unread messages accumulate until the modem crashes (`+ZUSIMR:2`, repeatedly); reading the storage prevents that.
  calming: ['AT+CPMS?', 'AT+ZCDRUN=8', 'AT+ZOPRT=5'],
  // This command clears the number of the service centre.
  avoid: ['AT+CSMP='],
  pinCounters: [pinCounter('AT+ZPINPUK=?', '+ZPINPUK', 0, 1), ...generic.pinCounters],
  iccidCommands: ['AT+ZGETICCID', ...generic.iccidCommands],
  storage: { ...generic.storage, receiveInto: ['SM', 'ME', 'MT'] },
  // Programs that wrote the next command 15 to 60 s after a PDU have sent messages twice with these modems. This shows
  // that the command does not abort the submission.
  submit: { ...generic.submit, probe: probeAfterAnySign },
  // Advertises mode 2 and often refuses it.
  indications: indicationLadder([1, 2, 0]),
  radio: { ...generic.radio, resetCommands: ['AT+ZRST', 'AT+CFUN=1,1'] },
  usb: portLayouts.flatMap(({ at, secondary, products }) => {
    const ids = products.split(' ').map((product) => `19d2:${product}`)
    return [
      { ids, interfaceNumber: at, role: 'at' as const },
      { ids, interfaceNumber: secondary, role: 'at-secondary' as const },
    ]
  }),
  variants: [
    {
      fits: { model: /^MF190/i },
      changes: { advice: ['Some firmware of the MF190 gives no delivery reports.'] },
    },
  ],
}
