import { expect, test } from 'vitest'
import { huaweiE3372 } from '../../personalities/huawei-e3372.ts'
import { quectelEc25 } from '../../personalities/quectel-ec25.ts'
import { simcomSim800 } from '../../personalities/simcom-sim800.ts'
import { simcomSim7600 } from '../../personalities/simcom-sim7600.ts'
import { aliceNumber, EmulatedHost, emulatedNetwork, simOf } from '../../test-setup.ts'

function locked(options = {}) {
  const sim = simOf(aliceNumber, { pin: '1234', puk: '12345678' })
  const host = new EmulatedHost(emulatedNetwork(), { sim, ...options })
  host.say('AT+CMEE=1\r')
  return host
}

test('requires the PIN of a locked SIM and refuses other commands with the reason', () => {
  const host = locked()
  expect(host.say('AT+CPIN?\r')).toBe('\r\n+CPIN: SIM PIN\r\n\r\nOK\r\n')
  expect(host.say('AT+CIMI\r')).toBe('\r\n+CME ERROR: 11\r\n')
  expect(host.say('AT+CMGF=0\r')).toBe('\r\n+CMS ERROR: 311\r\n')
  expect(host.say('AT+CCID\r')).toBe('\r\n+CCID: 8944110000000900111\r\n\r\nOK\r\n')
  expect(host.say('AT+CREG?\r')).toBe('\r\n+CREG: 0,0\r\n\r\nOK\r\n')
})

test('answers test commands with a locked SIM', () => {
  expect(locked().say('AT+CMGF=?;+COPS=3,0\r')).toBe('\r\n+CMGF: (0,1)\r\n\r\n+CME ERROR: 11\r\n')
})

test('unlocks the SIM with the right PIN', () => {
  const host = locked()
  expect(host.say('AT+CPIN="1234"\r')).toBe('\r\nOK\r\n')
  host.wait(10_000)
  expect(host.say('AT+CPIN?;+CREG?\r')).toBe('\r\n+CPIN: READY\r\n+CREG: 0,1\r\n\r\nOK\r\n')
  expect(host.say('AT+CPIN="1234"\r')).toBe('\r\n+CME ERROR: 3\r\n')
})

test('requires the PUK after three wrong PINs; the PUK sets a new PIN', () => {
  const host = locked()
  expect(host.say('AT+CPIN="0000"\r')).toBe('\r\n+CME ERROR: 16\r\n')
  expect(host.say('AT+CPINR\r')).toContain('+CPINR: SIM PIN,2,3')
  host.say('AT+CPIN="0000"\r')
  expect(host.say('AT+CPIN="0000"\r')).toBe('\r\n+CME ERROR: 12\r\n')
  expect(host.say('AT+CPIN?\r')).toBe('\r\n+CPIN: SIM PUK\r\n\r\nOK\r\n')
  expect(host.say('AT+CPIN="1234"\r')).toBe('\r\n+CME ERROR: 12\r\n')
  expect(host.say('AT+CPIN="00000000","4321"\r')).toBe('\r\n+CME ERROR: 16\r\n')
  expect(host.say('AT+CPINR="SIM PUK"\r')).toBe('\r\n+CPINR: SIM PUK,9,10\r\n\r\nOK\r\n')
  expect(host.say('AT+CPIN="12345678","4321"\r')).toBe('\r\nOK\r\n')
  host.wait(1)
  expect(host.say('AT+CPIN?\r')).toBe('\r\n+CPIN: READY\r\n\r\nOK\r\n')
})

test('blocks the SIM after ten wrong PUKs', () => {
  const sim = simOf(aliceNumber, { pin: '1234', pinAttemptsLeft: 0, pukAttemptsLeft: 1 })
  const host = new EmulatedHost(emulatedNetwork(), { sim })
  host.say('AT+CMEE=1\r')
  expect(host.say('AT+CPIN="00000000","4321"\r')).toBe('\r\n+CME ERROR: 13\r\n')
  expect(host.say('AT+CPIN="12345678","4321"\r')).toBe('\r\n+CME ERROR: 13\r\n')
  expect(host.say('AT+CIMI\r')).toBe('\r\n+CME ERROR: 13\r\n')
})

test('turns the PIN lock off and on with the PIN', () => {
  const host = locked()
  host.say('AT+CPIN="1234"\r')
  host.wait(10_000)
  expect(host.say('AT+CLCK="SC",2\r')).toBe('\r\n+CLCK: 1\r\n\r\nOK\r\n')
  expect(host.say('AT+CLCK="SC",0,"9999"\r')).toBe('\r\n+CME ERROR: 16\r\n')
  expect(host.say('AT+CLCK="SC",0,"1234"\r')).toBe('\r\nOK\r\n')
  expect(host.say('AT+CLCK="SC",2\r')).toBe('\r\n+CLCK: 0\r\n\r\nOK\r\n')
  expect(host.say('AT+CPWD="SC","1234","5678"\r')).toBe('\r\n+CME ERROR: 3\r\n')
  host.say('AT+CLCK="SC",1,"1234"\r')
  expect(host.say('AT+CPWD="SC","1234","5678"\r')).toBe('\r\nOK\r\n')
  host.modem.reboot()
  host.wait(60_000)
  host.say('ATE0\r')
  expect(host.say('AT+CPIN="1234"\r')).toBe('\r\nERROR\r\n')
  expect(host.say('AT+CPIN="5678"\r')).toBe('\r\nOK\r\n')
})

test('reports a missing SIM', () => {
  const host = new EmulatedHost(emulatedNetwork(), { sim: null })
  host.say('AT+CMEE=2\r')
  expect(host.say('AT+CPIN?\r')).toBe('\r\n+CME ERROR: SIM not inserted\r\n')
  expect(host.say('AT+CMGL=4\r')).toBe('\r\n+CMS ERROR: SIM not inserted\r\n')
})

test.each([
  [quectelEc25, 'AT+QPINC?', '\r\n+QPINC: "SC",3,10\r\n+QPINC: "P2",3,10\r\n\r\nOK\r\n'],
  [simcomSim7600, 'AT+SPIC', '\r\n+SPIC: 3,10,3,10\r\n\r\nOK\r\n'],
  [simcomSim800, 'AT+SPIC', '\r\n+SPIC: 3,3,10,10\r\n\r\nOK\r\n'],
  [huaweiE3372, 'AT^CPIN?', '\r\n^CPIN: SIM PIN,3,10,3,10,3\r\n\r\nOK\r\n'],
])('$0.name reports attempts left with $1', (personality, command, reply) => {
  expect(locked({ personality }).say(`${command}\r`)).toBe(reply)
})
