import { expect, test } from 'vitest'
import { generic } from '../personalities/generic.ts'
import { huaweiE3372 } from '../personalities/huawei-e3372.ts'
import { simcomSim7600 } from '../personalities/simcom-sim7600.ts'
import { bobNumber, EmulatedHost, emulatedNetwork } from '../test-setup.ts'

test.each([
  [
    generic,
    '+CUSATP: "D00E8103012100820281028D03044869"',
    'AT+CUSATT="810301210082028281830110"',
    'AT+CUSATT="810301240082028281830110"',
  ],
  [simcomSim7600, '+STIN: 21', 'AT+STGR=83', 'AT+STGR=22'],
  [huaweiE3372, '^STIN: 1,2,0', 'AT^STGR=1,2,0', 'AT^STGR=6,2,0'],
])('sim-toolkit: $name keeps the SIM busy until the host responds', (personality, code, response, wrong) => {
  const host = new EmulatedHost(emulatedNetwork(), { personality })
  host.say('AT+CMEE=1\r')
  host.modem.faults.set('sim-toolkit', { times: 1 })
  expect(host.read()).toContain(`\r\n${code}\r\n`)
  expect(host.say('AT+CIMI\r')).toContain('+CME ERROR: 14')
  expect(host.say(`${wrong}\r`)).toContain('ERROR')
  expect(host.say('AT+CIMI\r')).toContain('+CME ERROR: 14')
  expect(host.say(`${response}\r`)).toContain('OK')
  expect(host.say('AT+CIMI\r')).toMatch(/\d{15}/)
  expect(host.say(`${response}\r`)).toContain('ERROR')
})

test('sim-toolkit: sends a request while a message is being sent, and the message arrives', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, {
    personality: simcomSim7600,
    faults: { 'sim-toolkit': { whileSending: true, times: 1 } },
  })
  expect(host.say('AT+CIMI\r')).toMatch(/\d{15}/)
  host.say('AT+CMGF=1\r')
  host.say(`AT+CMGS="${bobNumber}"\r`)
  expect(host.say('hello\x1a') + host.wait(10_000)).toMatch(/\+STIN: 21[\s\S]*\+CMGS: /)
  expect(host.say('AT+CIMI\r')).toContain('ERROR')
})

test('sim-toolkit: gives up after a while', () => {
  const host = new EmulatedHost(emulatedNetwork(), { faults: { 'sim-toolkit': { forMs: 60_000, times: 1 } } })
  expect(host.say('AT+CIMI\r')).toContain('ERROR')
  expect(host.wait(60_000)).toContain('+CUSATEND')
  expect(host.say('AT+CIMI\r')).toMatch(/\d{15}/)
})
