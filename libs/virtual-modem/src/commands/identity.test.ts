import { expect, test } from 'vitest'
import { generic } from '../personalities/generic.ts'
import { huaweiE3372 } from '../personalities/huawei-e3372.ts'
import { quectelEc25 } from '../personalities/quectel-ec25.ts'
import { simcomSim800 } from '../personalities/simcom-sim800.ts'
import { simcomSim7600 } from '../personalities/simcom-sim7600.ts'
import { aliceNumber, EmulatedHost, emulatedNetwork, simOf } from '../test-setup.ts'

test.each([
  [generic, 'ATI', '\r\nGeneric 27.005\r\nRevision 1.0\r\n\r\nOK\r\n'],
  [quectelEc25, 'ATI', '\r\nQuectel\r\nEC25\r\nRevision: EC25EFAR06A06M4G\r\n\r\nOK\r\n'],
  [quectelEc25, 'AT+CGMI;+CGMM;+CGMR', '\r\nQuectel\r\nEC25\r\nEC25EFAR06A06M4G\r\n\r\nOK\r\n'],
  [quectelEc25, 'AT+QCCID', '\r\n+QCCID: 8944110000000900111\r\n\r\nOK\r\n'],
  [
    simcomSim7600,
    'ATI',
    '\r\nManufacturer: SIMCOM INCORPORATED\r\nModel: SIMCOM_SIM7600E-H\r\nRevision: LE20B04SIM7600G22\r\nIMEI: 004401520000012\r\n+GCAP: +CGSM\r\n\r\nOK\r\n',
  ],
  [simcomSim7600, 'AT+CICCID', '\r\n+ICCID: 8944110000000900111\r\n\r\nOK\r\n'],
  [simcomSim7600, 'AT+CGMR', '\r\n+CGMR: LE20B04SIM7600G22\r\n\r\nOK\r\n'],
  [simcomSim800, 'ATI', '\r\nSIM800 R14.18\r\n\r\nOK\r\n'],
  [simcomSim800, 'AT+CCID', '\r\n8944110000000900111f\r\n\r\nOK\r\n'],
  [simcomSim800, 'AT+CGMR', '\r\nRevision:1418B05SIM800L24\r\n\r\nOK\r\n'],
  [
    huaweiE3372,
    'ATI',
    '\r\nManufacturer: huawei\r\nModel: E3372\r\nRevision: 21.315.01.00.143\r\nIMEI: 004401520000012\r\n+GCAP: +CGSM,+DS,+ES\r\n\r\nOK\r\n',
  ],
  [huaweiE3372, 'AT^ICCID?', '\r\n^ICCID: 8944110000000900111\r\n\r\nOK\r\n'],
  [huaweiE3372, 'AT+NONSENSE', '\r\nCOMMAND NOT SUPPORT\r\n'],
  [quectelEc25, 'AT^ICCID?', '\r\nERROR\r\n'],
])('$0.name answers $1', (personality, command, reply) => {
  expect(new EmulatedHost(emulatedNetwork(), { personality }).say(`${command}\r`)).toBe(reply)
})

test('answers IMEI, IMSI and own number', () => {
  const host = new EmulatedHost(emulatedNetwork())
  expect(host.say('AT+CGSN;+CIMI;+CNUM\r')).toBe(
    `\r\n004401520000012\r\n001010000900111\r\n+CNUM: "","${aliceNumber}",145\r\n\r\nOK\r\n`,
  )
  expect(host.say('AT+CGSN=1\r')).toBe('\r\n+CGSN: "004401520000012"\r\n\r\nOK\r\n')
})

test('answers CNUM without a number when the SIM has none', () => {
  const host = new EmulatedHost(emulatedNetwork(), { sim: simOf(aliceNumber, { ownNumberStored: false }) })
  expect(host.say('AT+CNUM\r')).toBe('\r\nOK\r\n')
})

test('CLAC lists exactly the commands of the family', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: simcomSim800 })
  const names = host.say('AT+CLAC\r').trim().split('\r\n')
  expect(names).toContain('+CMGS')
  expect(names).toContain('+CPOWD')
  expect(names).not.toContain('+CEREG')
})
