import { expect, test } from 'vitest'
import { EmulatedHost, emulatedNetwork } from '../test-setup.ts'

function hostAfterCode(faults: object) {
  const host = new EmulatedHost(emulatedNetwork(), { faults })
  host.say('AT+CUSD=1,"*100#"\r')
  return host
}

test('ussd-late: sends the reply after the delay', () => {
  const host = hostAfterCode({ 'ussd-late': { delayMs: 45_000 } })
  expect(host.wait(44_999)).toBe('')
  expect(host.wait(1)).toContain('+CUSD: 0,"Your balance')
})

test('ussd-late: does not show a reply to a cancelled dialogue', () => {
  const host = hostAfterCode({ 'ussd-late': { delayMs: 45_000 } })
  host.say('AT+CUSD=2\r')
  expect(host.wait(60_000)).toBe('')
})

test('ussd-lost: sends no reply', () => {
  expect(hostAfterCode({ 'ussd-lost': {} }).wait(600_000)).toBe('')
})

test('ussd-garbled: sends a reply that cannot be decoded', () => {
  const reply = hostAfterCode({ 'ussd-garbled': {} }).wait(0)
  expect(reply).toMatch(/^\r\n\+CUSD: 0,"/)
  expect(reply).not.toContain('Your balance is 12.34 EUR. Valid until 31.12.2030.')
  expect(reply).toContain(',17\r\n')
})

test('ussd-as-menu: sends a menu first, the reply after an answer', () => {
  const host = hostAfterCode({ 'ussd-as-menu': {} })
  expect(host.wait(0)).toBe('\r\n+CUSD: 1,"1 Continue\n0 Exit",15\r\n')
  host.say('AT+CUSD=1,"1"\r')
  expect(host.wait(0)).toContain('+CUSD: 0,"Your balance')
})

test.each([
  ['that is cancelled', 'AT+CUSD=2\r'],
  ['of a modem that leaves the network', 'AT+CFUN=4\r'],
])('a code %s before its answer opens no session', (_, leave) => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  const { network } = world
  network.setLatency(70_000)
  host.say('AT+CUSD=1,"*101#"\r')
  host.say(leave)
  host.wait(70_000)
  network.setLatency(0)
  host.say('AT+CFUN=1\r')
  host.wait(60_000)
  host.say('AT+CUSD=1,"*101#"\r')
  expect(host.wait(0)).toContain('1 Balance')
})
