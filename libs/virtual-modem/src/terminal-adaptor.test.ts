import { expect, test } from 'vitest'
import { EmulatedHost, emulatedNetwork } from './test-setup.ts'

const host = (options = {}) => new EmulatedHost(emulatedNetwork(), options)

test('echo comes first, then a line break, the information, and OK', () => {
  expect(host({ echo: true }).say('AT+CSQ\r')).toBe('AT+CSQ\r\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
})

test('without echo there is none', () => {
  expect(host().say('AT+CSQ\r')).toBe('\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
})

test('several commands share a line and one result', () => {
  expect(host().say('AT+CSQ;+CREG?;+CFUN?\r')).toBe('\r\n+CSQ: 20,99\r\n+CREG: 0,1\r\n+CFUN: 1\r\n\r\nOK\r\n')
})

test('the first command that fails ends the line; what came before it stands', () => {
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

test('lines without AT are skipped, and rubbish in front of it too', () => {
  const modem = host()
  expect(modem.say('\r\n\r\nhello\r')).toBe('')
  expect(modem.say('\x1b\x1b\x00ATI\r')).toContain('Generic 27.005')
  expect(modem.say('xxAT\r')).toBe('\r\nOK\r\n')
})

test('backspace takes back a character', () => {
  expect(host().say('AT+CSQX\b\r')).toBe('\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
})

test('S3 and S5 change what ends a line and what takes back, S3 and S4 what answers end with', () => {
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

test('ATV0 gives numbers and no leading line breaks', () => {
  const modem = host()
  expect(modem.say('ATV0\r')).toBe('0\r')
  expect(modem.say('AT+CSQ\r')).toBe('+CSQ: 20,99\r\n0\r')
  expect(modem.say('AT+NONSENSE\r')).toBe('4\r')
  expect(modem.say('AT+CMEE=1;+CPIN="1"\r')).toBe('\r\n+CME ERROR: 3\r\n')
})

test('ATQ1 keeps results back', () => {
  const modem = host()
  expect(modem.say('ATQ1\r')).toBe('')
  expect(modem.say('AT+CSQ\r')).toBe('\r\n+CSQ: 20,99\r\n')
  expect(modem.say('ATQ0\r')).toBe('\r\nOK\r\n')
})

test('a line longer than the buffer is an ERROR, and the next one is good', () => {
  const modem = host()
  expect(modem.say(`AT${'X'.repeat(5000)}\r`)).toBe('\r\nERROR\r\n')
  expect(modem.say('AT\r')).toBe('\r\nOK\r\n')
})

test('what is sent while a command is carried out waits its turn', () => {
  const world = emulatedNetwork({ latencyMs: 2000 })
  const modem = new EmulatedHost(world)
  modem.say('AT+CMGF=1\r')
  modem.say('AT+CMGS="12345"\r')
  expect(modem.say('Hi\x1aAT+CSQ\r')).toBe('')
  expect(modem.wait(1999)).toBe('')
  expect(modem.wait(1)).toBe('\r\n+CMGS: 0\r\n\r\nOK\r\n\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
})

test('a scan is given up when the host sends anything', () => {
  const modem = new EmulatedHost(emulatedNetwork({ latencyMs: 1000 }))
  expect(modem.say('AT+COPS=?\r')).toBe('')
  expect(modem.say('A')).toBe('\r\nERROR\r\n')
  expect(modem.wait(60_000)).toBe('')
  expect(modem.say('T\r')).toBe('\r\nOK\r\n')
})

test('ESC at the prompt gives up, and nothing is sent', () => {
  const world = emulatedNetwork()
  const modem = new EmulatedHost(world)
  expect(modem.say('AT+CMGS=20\r')).toBe('\r\n> ')
  expect(modem.say('0011\x1b')).toBe('\r\nOK\r\n')
  expect(world.ledger).toEqual([])
})

test('in text mode every line gets a prompt of its own', () => {
  const modem = host({ echo: true })
  modem.say('AT+CMGF=1\r')
  expect(modem.say('AT+CMGS="123"\r')).toBe('AT+CMGS="123"\r\r\n> ')
  expect(modem.say('one\rtwo')).toBe('one\r\n> two')
  expect(modem.say('\x1a')).toBe('\r\n+CMGS: 0\r\n\r\nOK\r\n')
})

test('unsolicited lines wait while the host is at a prompt', () => {
  const modem = host()
  modem.say('AT+CMGS=20\r')
  modem.modem.say('+CIEV: 2,3')
  expect(modem.read()).toBe('')
  expect(modem.say('\x1b')).toBe('\r\n+CIEV: 2,3\r\n\r\nOK\r\n')
})

test('data without end is cut, answered with an error, and does not grow', () => {
  const modem = host()
  modem.say('AT+CMGS=20\r')
  expect(modem.say('0'.repeat(50_000))).toBe('')
  expect(modem.say('\x1a')).toBe('\r\n+CMS ERROR: 304\r\n')
})

test('a host in the same process may answer while it is handed bytes', () => {
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

test('a host that floods a busy modem fills no more than its buffer, and the modem goes on', () => {
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
