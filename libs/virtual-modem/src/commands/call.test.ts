import { expect, test } from 'vitest'
import { aliceNumber, EmulatedHost, emulatedNetwork } from '../test-setup.ts'

test('rings with the caller number until the caller hangs up', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  host.say('AT+CLIP=1\r')
  world.network.call('+4420', aliceNumber, 7000)
  expect(host.read()).toBe('\r\nRING\r\n\r\n+CLIP: "+4420",145,,,,0\r\n')
  expect(host.say('AT+CLCC\r')).toBe('\r\n+CLCC: 1,1,4,0,0,"+4420",145\r\n\r\nOK\r\n')
  expect(host.say('AT+CPAS\r')).toBe('\r\n+CPAS: 3\r\n\r\nOK\r\n')
  expect(host.wait(5000)).toContain('RING')
  expect(host.wait(5000)).toBe('\r\nNO CARRIER\r\n')
})

test('answers, ends or refuses a call', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  expect(host.say('ATA\r')).toBe('\r\nNO CARRIER\r\n')
  world.network.call('+4420', aliceNumber)
  host.read()
  expect(host.say('ATA\r')).toBe('\r\nOK\r\n')
  expect(host.say('AT+CPAS\r')).toBe('\r\n+CPAS: 4\r\n\r\nOK\r\n')
  expect(host.say('ATH\r')).toBe('\r\nOK\r\n')
  expect(host.wait(60_000)).toBe('')
})

test('dials voice calls and answers NO CARRIER to data calls', () => {
  const host = new EmulatedHost(emulatedNetwork())
  expect(host.say('ATD+4420;\r')).toBe('\r\nOK\r\n')
  expect(host.say('AT+CHUP\r')).toBe('\r\nOK\r\n')
  expect(host.say('ATD*99#\r')).toBe('\r\nNO CARRIER\r\n')
})
