import { expect, test } from 'vitest'
import { aliceNumber, EmulatedHost, emulatedNetwork, simOf } from '../../test-setup.ts'

const phonebook = [
  { name: 'Anna', number: '+4420' },
  { name: 'Ünal', number: '0123' },
]
const host = () => new EmulatedHost(emulatedNetwork(), { sim: simOf(aliceNumber, { phonebook, phonebookCapacity: 3 }) })

test('selects phonebooks and counts their entries', () => {
  const modem = host()
  expect(modem.say('AT+CPBS?\r')).toBe('\r\n+CPBS: "SM",2,3\r\n\r\nOK\r\n')
  expect(modem.say('AT+CPBS="ON";+CPBS?\r')).toBe('\r\n+CPBS: "ON",1,4\r\n\r\nOK\r\n')
  expect(modem.say('AT+CPBS="XX"\r')).toBe('\r\nERROR\r\n')
})

test('reads, finds, writes and removes entries', () => {
  const modem = host()
  modem.say('AT+CMEE=1\r')
  expect(modem.say('AT+CPBR=1,3\r')).toBe(
    '\r\n+CPBR: 1,"+4420",145,"Anna"\r\n+CPBR: 2,"0123",129,"\x5enal"\r\n\r\nOK\r\n',
  )
  expect(modem.say('AT+CPBF="an"\r')).toBe('\r\n+CPBF: 1,"+4420",145,"Anna"\r\n\r\nOK\r\n')
  expect(modem.say('AT+CPBF="zz"\r')).toBe('\r\n+CME ERROR: 22\r\n')
  expect(modem.say('AT+CPBW=,"4930",145,"Carl"\r')).toBe('\r\nOK\r\n')
  expect(modem.say('AT+CPBR=3\r')).toBe('\r\n+CPBR: 3,"+4930",145,"Carl"\r\n\r\nOK\r\n')
  expect(modem.say('AT+CPBW=,"1",129,"Dora"\r')).toBe('\r\n+CME ERROR: 20\r\n')
  expect(modem.say('AT+CPBW=1,"1",129,"A name that is far too long"\r')).toBe('\r\n+CME ERROR: 24\r\n')
  expect(modem.say('AT+CPBW=1,"x!",129,"A"\r')).toBe('\r\n+CME ERROR: 25\r\n')
  expect(modem.say('AT+CPBW=3\r')).toBe('\r\nOK\r\n')
  expect(modem.say('AT+CPBR=3\r')).toBe('\r\n+CME ERROR: 22\r\n')
  expect(modem.say('AT+CPBR=4\r')).toBe('\r\n+CME ERROR: 21\r\n')
})

test.each([
  ['GSM', '\x5enal'],
  ['IRA', '?nal'],
  ['8859-1', '\xdcnal'],
  ['UTF-8', '\xc3\x9cnal'],
  ['UCS2', '00DC006E0061006C'],
  ['HEX', '5E6E616C'],
])('writes a name under CSCS "%s" as %j', (set, shown) => {
  const modem = host()
  modem.say(`AT+CSCS="${set}"\r`)
  expect(modem.say('AT+CPBR=2\r')).toBe(`\r\n+CPBR: 2,"0123",129,"${shown}"\r\n\r\nOK\r\n`)
  expect(modem.say(`AT+CPBW=3,"99",129,"${shown}"\r`)).toBe('\r\nOK\r\n')
  expect(modem.modem.sim?.phonebook.at(3)?.name).toBe(set === 'IRA' ? '?nal' : 'Ünal')
})

test('writes ? for a character that the set lacks', () => {
  const sim = simOf(aliceNumber, { phonebook: [{ name: 'Яна €', number: '1' }] })
  const modem = new EmulatedHost(emulatedNetwork(), { sim })
  expect(modem.say('AT+CPBR=1\r')).toContain('"??? \x1be"')
  expect(modem.say('AT+CSCS="8859-1";+CPBR=1\r')).toContain('"??? ?"')
})
