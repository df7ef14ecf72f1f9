import { expect, test } from 'vitest'
import { aliceNumber, EmulatedHost, emulatedNetwork, simOf } from '../../test-setup.ts'

const host = (options = {}) => new EmulatedHost(emulatedNetwork(), options)

test.each([
  ['AT+CRSM=176,12258,0,0,10', '+CRSM: 144,0,"984411000000900011F1"', 'EF_ICCID'],
  ['AT+CRSM=176,28423,0,0,9', '+CRSM: 144,0,"080910100000091011"', 'EF_IMSI'],
  ['AT+CRSM=176,28589,0,0,4', '+CRSM: 144,0,"00000002"', 'EF_AD'],
  ['AT+CRSM=176,28483,0,0,2', '+CRSM: 144,0,"FFFF"', 'EF_SMSS'],
  ['AT+CRSM=178,28474,2,4,28', `+CRSM: 144,0,"${'FF'.repeat(28)}"`, 'EF_ADN, an empty record'],
  ['AT+CRSM=178,28480,1,4,28', '+CRSM: 144,0,"FFFFFFFFFFFFFFFFFFFFFFFFFFFF0791447700091011FFFFFFFFFFFF"', 'EF_MSISDN'],
  ['AT+CRSM=192,28423,0,0,15', '+CRSM: 144,0,"000000096F07040011FF4401020000"', 'what is to say of EF_IMSI'],
  ['AT+CRSM=176,28417,0,0,1', '+CRSM: 148,4', 'a file that is not there'],
  ['AT+CRSM=178,28474,251,4,28', '+CRSM: 148,2', 'a record that is not there'],
  ['AT+CRSM=176,12258,0,0,11', '+CRSM: 103,10', 'more than there is'],
])('%s reads %s', (command, reply) => {
  expect(host().say(`${command}\r`)).toBe(`\r\n${reply}\r\n\r\nOK\r\n`)
})

test('EF_SMSS contains the last message reference', () => {
  const modem = host()
  modem.say('AT+CMGF=1\r')
  for (const _ of [1, 2, 3]) {
    modem.say('AT+CMGS="1"\r')
    modem.say('x\x1a')
  }
  expect(modem.say('AT+CRSM=176,28483,0,0,1\r')).toBe('\r\n+CRSM: 144,0,"02"\r\n\r\nOK\r\n')
})

test('EF_SMSP contains the service centre', () => {
  expect(host().say('AT+CRSM=178,28482,1,4,44\r')).toContain('0791447700090000')
})

test('reads only the ICCID of a locked SIM', () => {
  const modem = host({ sim: simOf(aliceNumber, { pin: '1234' }) })
  expect(modem.say('AT+CRSM=176,12258,0,0,10\r')).toContain('144,0')
  expect(modem.say('AT+CRSM=176,28423,0,0,9\r')).toBe('\r\n+CRSM: 152,4\r\n\r\nOK\r\n')
})

test('CSIM returns the PIN attempts left and reads files', () => {
  const modem = host()
  expect(modem.say('AT+CSIM=10,"0020000100"\r')).toBe('\r\n+CSIM: 4,"63C3"\r\n\r\nOK\r\n')
  expect(modem.say('AT+CSIM=14,"00A40004022FE2"\r')).toBe('\r\n+CSIM: 4,"9000"\r\n\r\nOK\r\n')
  expect(modem.say('AT+CSIM=10,"00B000000A"\r')).toBe('\r\n+CSIM: 24,"984411000000900011F19000"\r\n\r\nOK\r\n')
  expect(modem.say('AT+CSIM=14,"00A40004026FFF"\r')).toBe('\r\n+CSIM: 4,"6A82"\r\n\r\nOK\r\n')
  expect(modem.say('AT+CSIM=9,"0020000100"\r')).toBe('\r\nERROR\r\n')
})
