import { expect, test } from 'vitest'
import { EmulatedHost, emulatedNetwork } from '../test-setup.ts'

const pdu = '0011000481214300 00A702E834'.replace(' ', '')

test.each([
  ['prompt-missing', ''],
  ['prompt-without-space', '\r\n>'],
  ['prompt-with-newline', '\r\n>\r\n'],
] as const)('%s: sends the prompt %j and accepts the message', (fault, prompt) => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { faults: { [fault]: {} } })
  expect(host.say('AT+CMGS=12\r')).toBe(prompt)
  expect(host.say(`${pdu}\x1a`)).toBe('\r\n+CMGS: 0\r\n\r\nOK\r\n')
  expect(world.ledger).toHaveLength(1)
})

test('prompt-late: sends the prompt after the delay and accepts data typed before it', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { faults: { 'prompt-late': { times: 1 } } })
  expect(host.say('AT+CMGS=12\r')).toBe('')
  expect(host.wait(2999)).toBe('')
  expect(host.wait(1)).toBe('\r\n> ')
  expect(host.say(`${pdu}\x1a`)).toContain('+CMGS')
  expect(host.say('AT+CMGS=12\r')).toBe('\r\n> ')
})

test('prompt-late: accepts ESC typed before the prompt', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { faults: { 'prompt-late': {} } })
  host.say('AT+CMGS=12\r')
  expect(host.say('\x1bAT\r')).toBe('')
  expect(host.wait(3000)).toBe('\r\n> \r\nOK\r\n\r\nOK\r\n')
  expect(world.ledger).toEqual([])
})

test('echo-stuck: answers ATE0 and keeps echoing', () => {
  const host = new EmulatedHost(emulatedNetwork(), { faults: { 'echo-stuck': {} } })
  expect(host.say('ATE0\r')).toBe('ATE0\r\r\nOK\r\n')
  expect(host.say('AT\r')).toBe('AT\r\r\nOK\r\n')
  host.say('AT+CMGS=12\r')
  expect(host.say(`${pdu}\x1a`)).toBe(`${pdu}\r\n+CMGS: 0\r\n\r\nOK\r\n`)
})
