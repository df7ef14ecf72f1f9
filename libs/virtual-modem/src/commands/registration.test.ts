import { expect, test } from 'vitest'
import { quectelEc25 } from '../personalities/quectel-ec25.ts'
import { simcomSim800 } from '../personalities/simcom-sim800.ts'
import { aliceNumber, EmulatedHost, emulatedNetwork } from '../test-setup.ts'

test('answers reads in modes 0 to 2', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: quectelEc25 })
  expect(host.say('AT+CREG?;+CGREG?;+CEREG?\r')).toBe('\r\n+CREG: 0,1\r\n+CGREG: 0,1\r\n+CEREG: 0,1\r\n\r\nOK\r\n')
  host.say('AT+CREG=1;+CEREG=2\r')
  expect(host.say('AT+CREG?;+CEREG?\r')).toBe('\r\n+CREG: 1,1\r\n+CEREG: 2,1,"1A2B","01234567",7\r\n\r\nOK\r\n')
  expect(host.say('AT+CREG=3\r')).toBe('\r\nERROR\r\n')
})

test('reports changes according to the mode, and only changes', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { personality: quectelEc25 })
  host.say('AT+CREG=2;+CEREG=1\r')
  world.network.setCoverage(aliceNumber, { signalDbm: -90 })
  expect(host.read()).toBe('')
  world.network.setCoverage(aliceNumber, { areaCode: 0x2222 })
  expect(host.read()).toBe('\r\n+CREG: 1,"2222","01234567",7\r\n')
  world.network.setCoverage(aliceNumber, { stat: 2 })
  expect(host.read()).toBe('\r\n+CREG: 2\r\n\r\n+CEREG: 2\r\n')
  world.network.setCoverage(aliceNumber, { stat: 5 })
  expect(host.read()).toBe('\r\n+CREG: 5,"2222","01234567",7\r\n\r\n+CEREG: 5\r\n')
})

test('an older modem has no CEREG, a short cell ID and no technology field', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: simcomSim800 })
  expect(host.say('AT+CREG=2;+CREG?\r')).toBe('\r\n+CREG: 2,1,"1A2B","4567"\r\n\r\nOK\r\n')
  expect(host.say('AT+CEREG?\r')).toBe('\r\nERROR\r\n')
  expect(host.say('AT+COPS?\r')).toBe('\r\n+COPS: 0,0,"Virtual Mobile"\r\n\r\nOK\r\n')
})

test('outside LTE, CEREG is not registered and CREG shows the technology', () => {
  const host = new EmulatedHost(emulatedNetwork({ coverage: { technology: 'umts' } }))
  expect(host.say('AT+CREG=2;+CREG?;+CEREG?;+C5GREG?\r')).toBe(
    '\r\n+CREG: 2,1,"1A2B","01234567",2\r\n+CEREG: 0,0\r\n+C5GREG: 0,0\r\n\r\nOK\r\n',
  )
})

test('the modem is not registered with the radio off, and registers again', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.say('AT+CREG=1\r')
  expect(host.say('AT+CFUN=4\r')).toBe('\r\n+CREG: 0\r\n\r\nOK\r\n')
  expect(host.say('AT+CSQ;+COPS?\r')).toBe('\r\n+CSQ: 99,99\r\n+COPS: 0\r\n\r\nOK\r\n')
  expect(host.say('AT+CFUN=1\r')).toBe('\r\n+CREG: 1\r\n\r\nOK\r\n')
})

test('reads operators in three formats, scans, selects and deregisters', () => {
  const host = new EmulatedHost(emulatedNetwork())
  expect(host.say('AT+COPS=3,2;+COPS?\r')).toBe('\r\n+COPS: 0,2,"00101",7\r\n\r\nOK\r\n')
  expect(host.say('AT+COPS=3,1;+COPS?\r')).toBe('\r\n+COPS: 0,1,"VIRTUAL",7\r\n\r\nOK\r\n')
  host.say('AT+COPS=?\r')
  expect(host.wait(0)).toBe(
    '\r\n+COPS: (2,"Virtual Mobile","VIRTUAL","00101",7),(1,"Other Mobile","OTHER","00102",7),,(0-4),(0-2)\r\n\r\nOK\r\n',
  )
  host.say('AT+CMEE=1;+COPS=2\r')
  host.wait(0)
  expect(host.say('AT+CREG?\r')).toBe('\r\n+CREG: 0,0\r\n\r\nOK\r\n')
  host.say('AT+COPS=1,2,"00102"\r')
  expect(host.wait(0)).toBe('')
  host.say('AT+COPS=0\r')
  host.wait(0)
  expect(host.say('AT+CREG?\r')).toBe('\r\n+CREG: 0,1\r\n\r\nOK\r\n')
})

test('a foreign operator refuses the SIM', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.say('AT+CMEE=1\r')
  expect(host.say('AT+COPS=1,2,"00102"\r')).toBe('\r\n+CME ERROR: 32\r\n')
  expect(host.say('AT+COPS=1,2,"99999"\r')).toBe('\r\n+CME ERROR: 30\r\n')
})

test.each([
  [-51, '31,99'],
  [-113, '0,99'],
  [-73, '20,99'],
  [undefined, '99,99'],
])('reports a signal of %s dBm as +CSQ: %s', (signalDbm, shown) => {
  const host = new EmulatedHost(emulatedNetwork({ coverage: { signalDbm } }))
  expect(host.say('AT+CSQ\r')).toBe(`\r\n+CSQ: ${shown}\r\n\r\nOK\r\n`)
})

test('varies the signal within its limits', () => {
  const host = new EmulatedHost(emulatedNetwork({ signalWanderDb: 6 }))
  const seen = new Set(Array.from({ length: 50 }, () => Number(/: (\d+),/.exec(host.say('AT+CSQ\r'))?.[1])))
  expect(Math.min(...seen)).toBeGreaterThanOrEqual(17)
  expect(Math.max(...seen)).toBeLessThanOrEqual(23)
  expect(seen.size).toBeGreaterThan(3)
})

test('CESQ uses the scale of the current technology', () => {
  const host = (technology: 'lte' | 'gsm' | 'umts') =>
    new EmulatedHost(emulatedNetwork({ coverage: { technology } })).say('AT+CESQ\r')
  expect(host('lte')).toBe('\r\n+CESQ: 99,99,255,255,22,41\r\n\r\nOK\r\n')
  expect(host('gsm')).toBe('\r\n+CESQ: 38,0,255,255,255,255\r\n\r\nOK\r\n')
  expect(host('umts')).toBe('\r\n+CESQ: 99,99,48,34,255,255\r\n\r\nOK\r\n')
})
