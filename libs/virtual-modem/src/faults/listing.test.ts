import { expect, test } from 'vitest'
import { aliceNumber, EmulatedHost, emulatedNetwork } from '../test-setup.ts'

function twoMessages(faults: object) {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { faults, bootTimeFactor: 0 })
  for (const text of ['a', 'b']) world.network.sendText('+4420', aliceNumber, text)
  host.wait(0)
  return host
}

test('list-hang: does not end CMGL, and answers no other command until a reset', () => {
  const host = twoMessages({ 'list-hang': { times: 1 } })
  expect(host.say('AT+CMGL=4\r')).toBe('')
  expect(host.wait(600_000)).toBe('')
  expect(host.say('AT\r')).toBe('')
  host.modem.reboot()
  host.read()
  host.say('ATE0\r')
  expect(host.say('AT+CMGL=4\r')).toMatch(/\+CMGL: 1.*\+CMGL: 2/s)
})

test('list-newline-missing: starts the next entry directly after the PDU', () => {
  expect(twoMessages({ 'list-newline-missing': {} }).say('AT+CMGL=4\r')).toMatch(/\r\n[0-9A-F]+\+CMGL: 2,0,,\d+\r\n/)
})
