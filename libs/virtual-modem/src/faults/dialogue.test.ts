import { expect, test } from 'vitest'
import { EmulatedHost, emulatedNetwork } from '../test-setup.ts'

const host = (faults: object) => new EmulatedHost(emulatedNetwork(), { faults, bootTimeFactor: 0 })

test('answer-late: sends the whole answer after the delay', () => {
  const modem = host({ 'answer-late': { command: '+CSQ', delayMs: 5000 } })
  expect(modem.say('AT\r')).toBe('\r\nOK\r\n')
  expect(modem.say('AT+CSQ\rAT\r')).toBe('')
  expect(modem.wait(4999)).toBe('')
  expect(modem.wait(1)).toBe('\r\n+CSQ: 20,99\r\n\r\nOK\r\n\r\nOK\r\n')
})

test('answer-lost: runs the command but sends no answer, then answers the next command', () => {
  const modem = host({ 'answer-lost': { command: '+creg', times: 1 } })
  expect(modem.say('AT+CREG=2\r')).toBe('')
  expect(modem.wait(60_000)).toBe('')
  expect(modem.say('AT+CREG?\r')).toContain('+CREG: 2,1')
})

test.each([
  [{}, 'AT+CNMI=2,1', '\r\nERROR\r\n'],
  [{ code: 302 }, 'AT+CNMI=2,1', '\r\n+CMS ERROR: 302\r\n'],
  [{ command: '+CPMS', code: 500 }, 'AT+CPMS?', '\r\n+CMS ERROR: 500\r\n'],
  [{ command: '+CSQ', code: 30 }, 'AT+CMEE=1;+CSQ', '\r\n+CME ERROR: 30\r\n'],
])('command-refused %j: answers %s with %j', (options, command, reply) => {
  const modem = host({ 'command-refused': options })
  expect(modem.say(`${command}\r`)).toBe(reply)
  expect(modem.say('AT\r')).toBe('\r\nOK\r\n')
})

test('modem-hang: sends no answer and no unsolicited line until a reset', () => {
  const modem = host({ 'modem-hang': { command: '+CSQ', times: 1 } })
  expect(modem.say('AT+CSQ\r')).toBe('')
  expect(modem.say('AT\r\x1bAT\r')).toBe('')
  modem.modem.say('+CIEV: 1')
  expect(modem.wait(600_000)).toBe('')
  expect(modem.modem.snapshot().hung).toBe(true)
  modem.modem.reboot()
  expect(modem.say('AT\r')).toContain('OK')
})

test('numeric-answers: sends numeric results, as after ATV0', () => {
  const modem = host({ 'numeric-answers': { skip: 1 } })
  expect(modem.say('AT\r')).toBe('0\r')
  expect(modem.say('AT+NONSENSE\r')).toBe('4\r')
})

test('command-refused: matches several commands, or only their read forms', () => {
  const modem = host({ 'command-refused': { command: '+CMEE/+CNMI?' } })
  expect(modem.say('AT+CMEE=1\r')).toBe('\r\nERROR\r\n')
  expect(modem.say('AT+CNMI?\r')).toBe('\r\nERROR\r\n')
  expect(modem.say('AT+CNMI=2,1\r')).toBe('\r\nOK\r\n')
})

test('at-refused: refuses a bare AT, but no other command', () => {
  const modem = host({ 'at-refused': {} })
  expect(modem.say('AT\r')).toBe('\r\nERROR\r\n')
  expect(modem.say('ATE0\r')).toBe('\r\nOK\r\n')
})

test('ok-to-everything: answers OK alone, even to nonsense', () => {
  const modem = host({})
  modem.modem.faults.set('ok-to-everything')
  for (const command of ['AT', 'AT+CGSN', 'AT+NONSENSE?']) expect(modem.say(`${command}\r`)).toBe('\r\nOK\r\n')
})

test.each([
  ['', '\r\nERROR\r\n'],
  ['1234567890', '\r\n1234567890\r\n\r\nOK\r\n'],
])('imei-answer %j: answers AT+CGSN with %j', (line, reply) => {
  const modem = host({ 'imei-answer': { line } })
  expect(modem.say('AT+CGSN\r')).toBe(reply)
  expect(modem.say('AT+GSN\r')).toBe(reply)
  expect(modem.say('AT+CGSN=1\r')).toBe('\r\nERROR\r\n')
})
