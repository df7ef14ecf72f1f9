import { expect, test } from 'vitest'
import { catalogue } from '../../profiles/catalogue.ts'
import { answerTo, valueFrom } from '../../testing/answer-to.ts'
import type { Query } from '../query.ts'
import { cardPinCounter, type PinTries, standardPinCounter } from './pin-counter.ts'

/** Returns the query with the vendor's command, which is tried first. */
function of(profile: string): Query<PinTries> {
  const [counter] = catalogue.find(({ name }) => name === profile)?.pinCounters ?? []
  if (counter === undefined) throw new Error(`no profile is called ${profile}`)
  return counter
}

test.each([
  ['the standard', standardPinCounter, '+CPINR: SIM PIN,2,3\n+CPINR: SIM PUK,9,10\n+CPINR: SIM PIN2,3,3', 2, 9],
  ['the standard, in quotes', standardPinCounter, '+CPINR: "SIM PIN",2,3\n+CPINR: "SIM PUK",9,10', 2, 9],
  ['Huawei', of('huawei'), '^CPIN: SIM PIN,2,9,2,10,3', 2, 9],
  ['Huawei, ready', of('huawei'), '^CPIN: READY,,9,2,10,3', 2, 9],
  ['ZTE', of('zte'), '+ZPINPUK: 2,9', 2, 9],
  ['SIMCom', of('simcom-2g'), '+SPIC: 2,3,9,10', 2, 9],
  ['Quectel', of('quectel'), '+QPINC: "SC",2,9\n+QPINC: "P2",3,10', 2, 9],
  ['Quectel on a serial line', of('quectel-serial'), '+QTRPIN: 2,3,9,10', 2, 9],
  ['u-blox', of('ublox'), '+UPINCNT: 2,3,9,10', 2, 9],
  ['Telit', of('telit'), '#PCT: 2', 2, undefined],
  ['Gemalto', of('cinterion'), '^SPIC: 2', 2, undefined],
  ['Intel', of('intel'), '+XPINCNT: 2,3,9,10', 2, 9],
  ['Ericsson', of('ericsson'), '*EPIN: 2,9,3,10', 2, 9],
  ['Option', of('option'), '_OERCN: 2, 9', 2, 9],
  ['Option GTM601', of('option'), '_OERCN: 2 9', 2, 9],
  ['Icera', of('icera'), '%PINNUM: 2, 9, 3, 10', 2, 9],
  ['Alcatel', of('alcatel'), '+PNNM: 2,9', 2, 9],
  ['SpeedUp', of('speedup'), 'PIN1=2; PUK1=9; PIN2=0; PUK2=10', 2, 9],
  ['the card itself', cardPinCounter, '+CSIM: 4,"63C2"', 2, undefined],
  ['the card itself, blocked', cardPinCounter, '+CSIM: 4,"6983"', 0, undefined],
])('reads the attempts left from %s', async (_vendor, counter, answer, pin, puk) => {
  expect(await valueFrom(counter, answer)).toEqual({ pin, puk })
})

test.each([
  ['a number beyond any counter', of('simcom-2g'), '+SPIC: 255,255,255,255'],
  ['another code than the PIN', of('quectel'), '+QPINC: "P2",3,10'],
  ['a card that does not know the question', cardPinCounter, '+CSIM: 4,"6E00"'],
  ['an answer that was cut', of('huawei'), '^CPIN: SIM PIN,2'],
])('%s leaves the number of attempts unknown', async (_case, counter, answer) => {
  expect((await answerTo(counter, answer)).kind).toBe('unreadable')
})
