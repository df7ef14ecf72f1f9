import { expect, test } from 'vitest'
import { aliceNumber, EmulatedHost, emulatedNetwork } from '../test-setup.ts'

const pdu = '001100048121430000A702E834'

test.each([
  [3, false],
  [6, true],
  [7, true],
  [8, false],
  [11, false],
])('registration %d: reports this status; messages can be sent: %s', (stat, goes) => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  host.say('AT+CREG=1\r')
  host.modem.faults.set('registration', { stat })
  expect(host.read()).toBe(`\r\n+CREG: ${stat}\r\n`)
  expect(host.say('AT+CREG?\r')).toContain(`+CREG: 1,${stat}`)
  host.say('AT+CMGS=12\r')
  expect(host.say(`${pdu}\x1a`).includes('+CMGS: 0')).toBe(goes)
  world.network.sendText('+4420', aliceNumber, 'Hi')
  host.wait(0)
  expect(host.say('AT+CPMS?\r').includes('"SM",1,30')).toBe(goes)
  host.modem.faults.clear('registration')
  expect(host.read()).toBe('\r\n+CREG: 1\r\n')
  host.wait(0)
  expect(host.say('AT+CPMS?\r')).toContain('"SM",1,30')
})

test('eps-only: reports registration in CEREG alone and sends messages', () => {
  const host = new EmulatedHost(emulatedNetwork(), { faults: { 'eps-only': {} } })
  expect(host.say('AT+CREG?;+CGREG?;+CEREG?\r')).toBe('\r\n+CREG: 0,0\r\n+CGREG: 0,0\r\n+CEREG: 0,1\r\n\r\nOK\r\n')
  host.say('AT+CMGS=12\r')
  expect(host.say(`${pdu}\x1a`)).toContain('+CMGS: 0')
})

test('signal-unknown: answers +CSQ: 99,99', () => {
  const host = new EmulatedHost(emulatedNetwork(), { faults: { 'signal-unknown': { times: 1 } } })
  expect(host.say('AT+CSQ\r')).toBe('\r\n+CSQ: 99,99\r\n\r\nOK\r\n')
  expect(host.say('AT+CSQ\r')).toBe('\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
})
