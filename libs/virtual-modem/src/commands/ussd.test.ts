import { hexFromOctets } from '@smsgw/sms/octets'
import { packUssd } from '@smsgw/sms/ussd'
import { expect, test } from 'vitest'
import { huaweiE3372 } from '../personalities/huawei-e3372.ts'
import { quectelEc25 } from '../personalities/quectel-ec25.ts'
import { aliceNumber, EmulatedHost, emulatedNetwork } from '../test-setup.ts'

const packed = (text: string) => hexFromOctets(packUssd(text) ?? new Uint8Array(0))

test('answers a code with OK, then sends the reply', () => {
  const host = new EmulatedHost(emulatedNetwork({ latencyMs: 1500 }), { personality: quectelEc25 })
  expect(host.say('AT+CUSD=1,"*100#",15\r')).toBe('\r\nOK\r\n')
  expect(host.wait(1499)).toBe('')
  expect(host.wait(1)).toBe('\r\n+CUSD: 0,"Your balance is 12.34 EUR. Valid until 31.12.2030.",15\r\n')
})

test('follows a menu step by step to its end', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.say('AT+CUSD=1,"*101#"\r')
  expect(host.wait(0)).toBe('\r\n+CUSD: 1,"Welcome\n1 Balance\n2 Bundles\n0 Exit",15\r\n')
  host.say('AT+CUSD=1,"2"\r')
  expect(host.wait(0)).toContain('+CUSD: 1,"Bundles')
  host.say('AT+CUSD=1,"1"\r')
  expect(host.wait(0)).toBe('\r\n+CUSD: 0,"Day bundle is active",15\r\n')
  host.say('AT+CUSD=1,"1"\r')
  expect(host.wait(0)).toBe('\r\n+CUSD: 4\r\n')
})

test.each(['9', 'constructor', '__proto__', 'toString'])(
  'does not accept %s as a choice of a menu that does not offer it',
  (choice) => {
    const host = new EmulatedHost(emulatedNetwork())
    host.say('AT+CUSD=1,"*101#"\r')
    host.wait(0)
    host.say(`AT+CUSD=1,"${choice}"\r`)
    expect(host.wait(0)).toMatch(/^\r\n\+CUSD: 0,"Invalid choice",15\r\n$/)
  },
)

test('starts a new dialogue after a cancel', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.say('AT+CUSD=1,"*101#"\r')
  host.wait(0)
  expect(host.say('AT+CUSD=2\r')).toBe('\r\nOK\r\n')
  host.say('AT+CUSD=1,"*101#"\r')
  expect(host.wait(0)).toContain('Welcome')
})

test('a cancel discards all requests that the network has not answered yet', () => {
  const host = new EmulatedHost(emulatedNetwork({ latencyMs: 1500 }))
  host.say('AT+CUSD=1,"*101#"\r')
  host.say('AT+CUSD=1,"*100#"\r')
  host.say('AT+CUSD=2\r')
  expect(host.wait(1500)).toBe('')
  // The network would take this code for an answer to the menu of the first request.
  host.say('AT+CUSD=1,"*100#"\r')
  expect(host.wait(1500)).toContain('+CUSD: 0,"Your balance')
})

test('ends an unanswered dialogue', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.say('AT+CUSD=1,"*101#"\r')
  host.wait(0)
  expect(host.wait(180_000)).toBe('\r\n+CUSD: 5\r\n')
})

test('sends text outside the GSM alphabet as UCS-2', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.say('AT+CUSD=1,"*102#"\r')
  expect(host.wait(0)).toMatch(/^\r\n\+CUSD: 0,"0412043004480020[0-9A-F]+",72\r\n$/)
})

test('uses hexadecimal in both directions under CSCS "UCS2"', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: quectelEc25 })
  host.say('AT+CSCS="UCS2";+CUSD=1,"002A0031003000300023",15\r')
  expect(host.wait(0)).toMatch(/^\r\n\+CUSD: 0,"0059006F0075/)
})

test('packs septets in hexadecimal on a Huawei stick', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: huaweiE3372 })
  expect(host.say(`AT+CUSD=1,"${packed('*101#')}",15\r`)).toBe('\r\nOK\r\n')
  expect(host.wait(0)).toBe(`\r\n+CUSD: 1,"${packed('Welcome\n1 Balance\n2 Bundles\n0 Exit')}",15\r\n`)
  host.say('AT+CMEE=1\r')
  expect(host.say('AT+CUSD=1,"*100#",15\r')).toBe('\r\n+CME ERROR: 50\r\n')
})

test('shows USSD from the network, with a request for an answer if expected', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  host.say('AT+CUSD=1\r')
  world.network.sendUssd(aliceNumber, 'Buy more?', { expectsAnswer: true })
  expect(host.read()).toBe('\r\n+CUSD: 1,"Buy more?",15\r\n')
  host.say('AT+CUSD=1,"1"\r')
  expect(host.wait(0)).toBe('\r\n+CUSD: 0,"Thank you",15\r\n')
})

test('sets and removes menus at run time', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  world.network.setUssdMenu('*5#', { text: 'Five' })
  host.say('AT+CUSD=1,"*5#"\r')
  expect(host.wait(0)).toBe('\r\n+CUSD: 0,"Five",15\r\n')
  world.network.setUssdMenu('*5#', undefined)
  host.say('AT+CUSD=1,"*5#"\r')
  expect(host.wait(0)).toBe('\r\n+CUSD: 4\r\n')
})
