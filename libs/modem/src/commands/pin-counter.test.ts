import { expect, test } from 'vitest'
import { answerTo, valueFrom } from '../testing/answer-to.ts'
import {
  alcatelPinCounter,
  cardPinCounter,
  cinterionPinCounter,
  ericssonPinCounter,
  huaweiPinCounter,
  iceraPinCounter,
  intelPinCounter,
  optionPinCounter,
  quectelPinCounter,
  quectelSerialPinCounter,
  simcomPinCounter,
  speedupPinCounter,
  standardPinCounter,
  telitPinCounter,
  ubloxPinCounter,
  ztePinCounter,
} from './pin-counter.ts'

test.each([
  ['the standard', standardPinCounter, '+CPINR: SIM PIN,2,3\n+CPINR: SIM PUK,9,10\n+CPINR: SIM PIN2,3,3', 2, 9],
  ['the standard, in quotes', standardPinCounter, '+CPINR: "SIM PIN",2,3\n+CPINR: "SIM PUK",9,10', 2, 9],
  ['Huawei', huaweiPinCounter, '^CPIN: SIM PIN,2,9,2,10,3', 2, 9],
  ['Huawei, ready', huaweiPinCounter, '^CPIN: READY,,9,2,10,3', 2, 9],
  ['ZTE', ztePinCounter, '+ZPINPUK: 2,9', 2, 9],
  ['SIMCom', simcomPinCounter, '+SPIC: 2,3,9,10', 2, 9],
  ['Quectel', quectelPinCounter, '+QPINC: "SC",2,9\n+QPINC: "P2",3,10', 2, 9],
  ['Quectel on a serial line', quectelSerialPinCounter, '+QTRPIN: 2,3,9,10', 2, 9],
  ['u-blox', ubloxPinCounter, '+UPINCNT: 2,3,9,10', 2, 9],
  ['Telit', telitPinCounter, '#PCT: 2', 2, undefined],
  ['Gemalto', cinterionPinCounter, '^SPIC: 2', 2, undefined],
  ['Intel', intelPinCounter, '+XPINCNT: 2,3,9,10', 2, 9],
  ['Ericsson', ericssonPinCounter, '*EPIN: 2,9,3,10', 2, 9],
  ['Option', optionPinCounter, '_OERCN: 2, 9', 2, 9],
  ['Option GTM601', optionPinCounter, '_OERCN: 2 9', 2, 9],
  ['Icera', iceraPinCounter, '%PINNUM: 2, 9, 3, 10', 2, 9],
  ['Alcatel', alcatelPinCounter, '+PNNM: 2,9', 2, 9],
  ['SpeedUp', speedupPinCounter, 'PIN1=2; PUK1=9; PIN2=0; PUK2=10', 2, 9],
  ['the card itself', cardPinCounter, '+CSIM: 4,"63C2"', 2, undefined],
  ['the card itself, blocked', cardPinCounter, '+CSIM: 4,"6983"', 0, undefined],
])('tries left, from %s', async (_vendor, counter, answer, pin, puk) => {
  expect(await valueFrom(counter, answer)).toEqual({ pin, puk })
})

test.each([
  ['a number beyond any counter', simcomPinCounter, '+SPIC: 255,255,255,255'],
  ['another code than the PIN', quectelPinCounter, '+QPINC: "P2",3,10'],
  ['a card that does not know the question', cardPinCounter, '+CSIM: 4,"6E00"'],
  ['an answer that was cut', huaweiPinCounter, '^CPIN: SIM PIN,2'],
])('%s leaves them unknown', async (_case, counter, answer) => {
  expect((await answerTo(counter, answer)).kind).toBe('unreadable')
})
