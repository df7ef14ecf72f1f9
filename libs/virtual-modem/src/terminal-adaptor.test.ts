import { expect, test } from 'vitest'
import { EmulatedHost, emulatedNetwork } from './test-setup.ts'

const host = (options = {}) => new EmulatedHost(emulatedNetwork(), options)

test('sends echo, line break, information and OK', () => {
  expect(host({ echo: true }).say('AT+CSQ\r')).toBe('AT+CSQ\r\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
})

test('sends no echo with ATE0', () => {
  expect(host().say('AT+CSQ\r')).toBe('\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
})

test('runs several commands of a line with one result', () => {
  expect(host().say('AT+CSQ;+CREG?;+CFUN?\r')).toBe('\r\n+CSQ: 20,99\r\n+CREG: 0,1\r\n+CFUN: 1\r\n\r\nOK\r\n')
})

test('stops at the first failed command, and keeps the effect of earlier commands', () => {
  const modem = host()
  expect(modem.say('AT+CREG=2;+NONSENSE;+CREG=0\r')).toBe('\r\nERROR\r\n')
  expect(modem.say('AT+CREG?\r')).toBe('\r\n+CREG: 2,1,"1A2B","01234567",7\r\n\r\nOK\r\n')
})

test('A/ repeats the last line at once, without a line end', () => {
  const modem = host()
  modem.say('AT+CSQ\r')
  expect(modem.say('A/')).toBe('\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
  expect(modem.say('A')).toBe('')
  expect(modem.say('/')).toBe('\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
})

test('skips lines without AT and characters before it', () => {
  const modem = host()
  expect(modem.say('\r\n\r\nhello\r')).toBe('')
  expect(modem.say('\x1b\x1b\x00ATI\r')).toContain('Generic 27.005')
  expect(modem.say('xxAT\r')).toBe('\r\nOK\r\n')
})

test('deletes a character on backspace', () => {
  expect(host().say('AT+CSQX\b\r')).toBe('\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
})

test('S3 to S5 change line end, line feed and backspace', () => {
  const modem = host()
  expect(modem.say('ATS3=59\r')).toBe(';\nOK;\n')
  expect(modem.say('ATS5=127\r')).toBe('')
  expect(modem.say(';')).toBe(';\nOK;\n')
  expect(modem.say('ATQ9\x7f0;')).toBe(';\nOK;\n')
  expect(modem.say('ATS3?;')).toBe(';\n059;\n;\nOK;\n')
  expect(modem.say('ATS3=13S4=33;')).toBe('\r!OK\r!')
  modem.modem.say('RING')
  expect(modem.read()).toBe('\r!RING\r!')
  expect(modem.say('ATS3=128\r')).toBe('\r!ERROR\r!')
})

test('ATV0 sends numbers without leading line breaks', () => {
  const modem = host()
  expect(modem.say('ATV0\r')).toBe('0\r')
  expect(modem.say('AT+CSQ\r')).toBe('+CSQ: 20,99\r\n0\r')
  expect(modem.say('AT+NONSENSE\r')).toBe('4\r')
  expect(modem.say('AT+CMEE=1;+CPIN="1"\r')).toBe('\r\n+CME ERROR: 3\r\n')
})

test('ATQ1 suppresses results', () => {
  const modem = host()
  expect(modem.say('ATQ1\r')).toBe('')
  expect(modem.say('AT+CSQ\r')).toBe('\r\n+CSQ: 20,99\r\n')
  expect(modem.say('ATQ0\r')).toBe('\r\nOK\r\n')
})

test('answers ERROR to a line that is longer than the buffer, and runs the next line', () => {
  const modem = host()
  expect(modem.say(`AT${'X'.repeat(5000)}\r`)).toBe('\r\nERROR\r\n')
  expect(modem.say('AT\r')).toBe('\r\nOK\r\n')
})

test('queues input while a command runs', () => {
  const world = emulatedNetwork({ latencyMs: 2000 })
  const modem = new EmulatedHost(world)
  modem.say('AT+CMGF=1\r')
  modem.say('AT+CMGS="12345"\r')
  expect(modem.say('Hi\x1aAT+CSQ\r')).toBe('')
  expect(modem.wait(1999)).toBe('')
  expect(modem.wait(1)).toBe('\r\n+CMGS: 0\r\n\r\nOK\r\n\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
})

test('aborts a scan when the host sends a byte', () => {
  const modem = new EmulatedHost(emulatedNetwork({ latencyMs: 1000 }))
  expect(modem.say('AT+COPS=?\r')).toBe('')
  expect(modem.say('A')).toBe('\r\nERROR\r\n')
  expect(modem.wait(60_000)).toBe('')
  expect(modem.say('T\r')).toBe('\r\nOK\r\n')
})

test('sends nothing after ESC at the prompt', () => {
  const world = emulatedNetwork()
  const modem = new EmulatedHost(world)
  expect(modem.say('AT+CMGS=20\r')).toBe('\r\n> ')
  expect(modem.say('0011\x1b')).toBe('\r\nOK\r\n')
  expect(world.ledger).toEqual([])
})

test('sends a prompt for every line in text mode', () => {
  const modem = host({ echo: true })
  modem.say('AT+CMGF=1\r')
  expect(modem.say('AT+CMGS="123"\r')).toBe('AT+CMGS="123"\r\r\n> ')
  expect(modem.say('one\rtwo')).toBe('one\r\n> two')
  expect(modem.say('\x1a')).toBe('\r\n+CMGS: 0\r\n\r\nOK\r\n')
})

test('delays unsolicited lines during a prompt', () => {
  const modem = host()
  modem.say('AT+CMGS=20\r')
  modem.modem.say('+CIEV: 2,3')
  expect(modem.read()).toBe('')
  expect(modem.say('\x1b')).toBe('\r\n+CIEV: 2,3\r\n\r\nOK\r\n')
})

test('limits data without an end and answers with an error', () => {
  const modem = host()
  modem.say('AT+CMGS=20\r')
  expect(modem.say('0'.repeat(50_000))).toBe('')
  expect(modem.say('\x1a')).toBe('\r\n+CMS ERROR: 304\r\n')
})

test('accepts input that a host in the same process sends while it reads', () => {
  let text = ''
  let talks = false
  const talker: EmulatedHost = host({
    onText: (more: string) => {
      text += more
      if (talks && text.endsWith('OK\r\n') && text.length < 200) talker.type('AT\r')
    },
  })
  talks = true
  talker.type('AT\r')
  expect(text.match(/OK/g)?.length).toBeGreaterThan(10)
})

test('limits buffered input from a flooding host and keeps running', () => {
  const modem = new EmulatedHost(emulatedNetwork({ latencyMs: 1000 }))
  modem.say('AT+CMGF=1\r')
  modem.say('AT+CMGS="1"\r')
  modem.say('x\x1a')
  for (let round = 0; round < 100; round++) modem.say('AT\r'.repeat(2000))
  const answers = modem.wait(1000).match(/OK/g)?.length ?? 0
  expect(answers).toBeGreaterThan(1)
  expect(answers).toBeLessThan(25_000)
  expect(modem.say('AT\r')).toBe('\r\nOK\r\n')
})
