import { expect, test } from 'vitest'
import { simcomSim800 } from '../personalities/simcom-sim800.ts'
import { aliceNumber, EmulatedHost, emulatedNetwork, simOf } from '../test-setup.ts'

test.each([14, 515])('sim-busy: answers CME %d and CMS 314 or 515 for ten seconds after start', (code) => {
  const host = new EmulatedHost(emulatedNetwork(), {
    cold: true,
    personality: simcomSim800,
    faults: { 'sim-busy': { code, times: 1 } },
  })
  host.modem.powerOn()
  host.wait(3000)
  host.say('ATE0+CMEE=1\r')
  expect(host.say('AT+CPIN?\r')).toBe(`\r\n+CME ERROR: ${code}\r\n`)
  expect(host.say('AT+CSCA?\r')).toBe(`\r\n+CMS ERROR: ${code === 14 ? 314 : 515}\r\n`)
  host.wait(10_000)
  expect(host.say('AT+CPIN?\r')).toBe('\r\n+CPIN: READY\r\n\r\nOK\r\n')
  host.wait(10_000)
  expect(host.say('AT+CSCA?\r')).toContain('+CSCA: "+44')
})

test('sim-busy: starts at once when set at run time, and ends by itself', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.say('AT+CMEE=1;+CREG=1\r')
  host.modem.faults.set('sim-busy', { forMs: 3000, times: 1 })
  expect(host.say('AT+CIMI\r')).toContain('+CME ERROR: 14')
  host.wait(3000)
  expect(host.say('AT+CIMI;+CREG?\r')).toMatch(/\d{15}\r\n\+CREG: 1,1/)
})

test('pin-attempts: locks the SIM after one wrong PIN', () => {
  const sim = simOf(aliceNumber, { pin: '1234' })
  const host = new EmulatedHost(emulatedNetwork(), { sim, faults: { 'pin-attempts': {} } })
  host.say('AT+CMEE=1\r')
  expect(host.say('AT+CPINR="SIM PIN"\r')).toContain('+CPINR: SIM PIN,1,3')
  expect(host.say('AT+CPIN="9999"\r')).toBe('\r\n+CME ERROR: 12\r\n')
  expect(host.say('AT+CPIN?\r')).toContain('SIM PUK')
})
