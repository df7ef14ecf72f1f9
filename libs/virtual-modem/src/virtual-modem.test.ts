import { expect, test } from 'vitest'
import { huaweiHilink } from './personalities/huawei-hilink.ts'
import { quectelEc25 } from './personalities/quectel-ec25.ts'
import { simcomSim800 } from './personalities/simcom-sim800.ts'
import { bobNumber, EmulatedHost, emulatedNetwork, simOf } from './test-setup.ts'

test('answers nothing without power', () => {
  const host = new EmulatedHost(emulatedNetwork(), { cold: true })
  expect(host.say('AT\r')).toBe('')
  host.modem.powerOn({ warm: true })
  expect(host.say('AT\r')).toBe('AT\r\r\nOK\r\n')
})

test('boots a SIM800 with its own messages and delays', () => {
  const host = new EmulatedHost(emulatedNetwork(), { cold: true, personality: simcomSim800 })
  host.modem.powerOn()
  expect(host.say('AT\r')).toBe('')
  expect(host.wait(2000)).toBe('\r\nRDY\r\n\r\n+CFUN: 1\r\n')
  expect(host.wait(1000)).toBe('\r\n+CPIN: READY\r\n')
  expect(host.wait(10_000)).toBe('\r\nCall Ready\r\n\r\nSMS Ready\r\n')
})

test('boots an EC25 with a locked SIM up to the PIN request, then continues after the PIN', () => {
  const host = new EmulatedHost(emulatedNetwork(), {
    cold: true,
    personality: quectelEc25,
    sim: simOf(bobNumber, { pin: '1234' }),
  })
  host.modem.powerOn()
  expect(host.wait(30_000)).toBe('\r\nRDY\r\n\r\n+CFUN: 1\r\n\r\n+CPIN: SIM PIN\r\n')
  host.say('ATE0\r')
  expect(host.say('AT+CPIN="1234"\r')).toBe('\r\nOK\r\n')
  expect(host.wait(30_000)).toBe('\r\n+CPIN: READY\r\n\r\n+QUSIM: 1\r\n\r\n+QIND: SMS DONE\r\n\r\n+QIND: PB DONE\r\n')
})

test('refuses message commands until the message service is ready', () => {
  const host = new EmulatedHost(emulatedNetwork(), { cold: true, personality: simcomSim800 })
  host.modem.powerOn()
  host.wait(4000)
  host.say('ATE0\r')
  expect(host.say('AT+CMGF=0\r')).toBe('\r\n+CMS ERROR: 314\r\n')
  host.wait(10_000)
  expect(host.say('AT+CMGF=0\r')).toBe('\r\nOK\r\n')
})

test('boots at once with bootTimeFactor 0, with boot messages', () => {
  const host = new EmulatedHost(emulatedNetwork(), { cold: true, personality: simcomSim800, bootTimeFactor: 0 })
  host.modem.powerOn()
  expect(host.read()).toBe('\r\nRDY\r\n\r\n+CFUN: 1\r\n\r\n+CPIN: READY\r\n\r\nCall Ready\r\n\r\nSMS Ready\r\n')
})

test('answers AT+CFUN=1,1, then loses the USB port and restores factory settings', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: quectelEc25 })
  expect(host.say('AT+CMEE=2;+CNMI=2,2,0,1,0;+CFUN=1,1\r')).toBe('\r\nOK\r\n')
  host.wait(101)
  expect(host.ports).toEqual(['lost'])
  expect(host.say('AT\r')).toBe('')
  host.wait(60_000)
  expect(host.ports).toEqual(['lost', 'back'])
  host.say('ATE0\r')
  expect(host.say('AT+CNMI?;+CMEE?\r')).toBe('\r\n+CNMI: 2,1,0,0,0\r\n+CMEE: 1\r\n\r\nOK\r\n')
})

test('keeps the port of a UART modem during a restart', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: simcomSim800 })
  host.modem.reboot()
  host.wait(20_000)
  expect(host.ports).toEqual([])
})

test('the port is available again after a restart while it is disconnected', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: huaweiHilink, bootTimeFactor: 0 })
  host.modem.dropPort(5_000)
  host.modem.reboot()
  host.wait(20_000)
  expect(host.ports).toEqual(['lost', 'back'])
  expect(host.modem.snapshot()).toMatchObject({ power: 'on', port: 'open' })
})

test('keeps AT&W settings over a restart until AT&F', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: simcomSim800, bootTimeFactor: 0 })
  host.say('ATE0+CMEE=1;&W\r')
  host.modem.reboot()
  host.read()
  expect(host.say('AT+CMEE?\r')).toBe('\r\n+CMEE: 1\r\n\r\nOK\r\n')
  expect(host.say('AT&F\r')).toBe('\r\nOK\r\n')
  expect(host.say('AT+CMEE?\r')).toBe('AT+CMEE?\r\r\n+CMEE: 0\r\n\r\nOK\r\n')
})

test('detects the rate of the host until AT&W stores a fixed rate', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: simcomSim800, bootTimeFactor: 0 })
  const rate = () => /\+IPR: (\d+)/.exec(host.say('AT+IPR?\r'))?.[1]
  const restart = () => {
    host.modem.reboot()
    host.read()
  }
  expect(rate()).toBe('0')
  host.say('AT+IPR=57600\r')
  restart()
  expect(rate()).toBe('0')
  host.say('AT+IPR=57600\r')
  host.say('AT&W\r')
  restart()
  expect(rate()).toBe('57600')
})

test('loses the port and answers nothing while unplugged', () => {
  const host = new EmulatedHost(emulatedNetwork(), { bootTimeFactor: 0 })
  host.modem.unplug(3000)
  expect(host.ports).toEqual(['lost'])
  expect(host.say('AT\r')).toBe('')
  expect(host.modem.snapshot()).toMatchObject({ power: 'off', port: 'lost' })
  host.wait(3000)
  expect(host.ports).toEqual(['lost', 'back'])
  expect(host.say('AT\r')).toContain('OK')
})

test('keeps messages and counters without power', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { bootTimeFactor: 0 })
  world.network.sendText('+447700900999', host.modem.sim?.msisdn ?? '', 'Stay')
  host.wait(1)
  host.say('AT+CMGF=1\r')
  host.say('AT+CMGS="1"\r')
  host.say('x\x1a')
  host.modem.reboot()
  host.read()
  host.say('ATE0+CMGF=1\r')
  expect(host.say('AT+CMGL="ALL"\r')).toContain('Stay')
  expect(host.modem.snapshot().counts).toMatchObject({ submitted: 1, arrived: 1 })
  host.say('AT+CMGS="1"\r')
  expect(host.say('x\x1a')).toBe('\r\n+CMGS: 1\r\n\r\nOK\r\n')
})

test('changes its identity with the SIM', () => {
  const host = new EmulatedHost(emulatedNetwork(), { bootTimeFactor: 0 })
  host.modem.insertSim(simOf(bobNumber))
  host.read()
  host.say('ATE0\r')
  expect(host.say('AT+CIMI\r')).toBe('\r\n001010000900222\r\n\r\nOK\r\n')
  host.modem.insertSim(undefined)
  host.read()
  host.say('ATE0+CMEE=1\r')
  expect(host.say('AT+CIMI\r')).toBe('\r\n+CME ERROR: 10\r\n')
})

test('generates an IMEI with fifteen digits and a valid check digit', () => {
  const { imei } = new EmulatedHost(emulatedNetwork(), { imei: undefined } as object).modem
  expect(imei).toMatch(/^\d{15}$/)
  const sum = [...imei].reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  expect(sum % 10).toBe(0)
})

test('sends POWERED DOWN on AT+QPOWD and loses the port until power-on', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: quectelEc25 })
  expect(host.say('AT+QPOWD\r')).toBe('\r\nOK\r\n')
  expect(host.wait(200)).toBe('\r\nPOWERED DOWN\r\n')
  expect(host.ports).toEqual(['lost'])
  expect(host.modem.snapshot()).toMatchObject({ power: 'off', port: 'lost' })
  host.modem.powerOn({ warm: true })
  expect(host.ports).toEqual(['lost', 'back'])
  expect(host.say('AT\r')).toContain('OK')
})

test('sends NORMAL POWER DOWN instead of OK on a SIM800 and keeps the UART', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: simcomSim800 })
  expect(host.say('AT+CPOWD=1\r')).toBe('\r\nNORMAL POWER DOWN\r\n')
  host.wait(1000)
  expect(host.say('AT\r')).toBe('')
  expect(host.ports).toEqual([])
})

test('does not answer a command that a power loss interrupted', () => {
  const world = emulatedNetwork({ latencyMs: 2000 })
  const host = new EmulatedHost(world, { bootTimeFactor: 0, faults: { 'answer-late': { command: '+CSQ' } } })
  host.say('AT+CUSD=1,"*100#"\r')
  host.say('AT+CMGF=1\r')
  host.say('AT+CMGS="1"\r')
  host.say('x\x1a')
  host.modem.reboot()
  host.say('ATE0\r')
  host.say('AT+CUSD=1\r')
  expect(host.wait(60_000)).toBe('')
  expect(world.ledger).toHaveLength(1)
  host.say('AT+CSQ\r')
  host.modem.reboot()
  host.read()
  expect(host.wait(60_000)).toBe('')
})
