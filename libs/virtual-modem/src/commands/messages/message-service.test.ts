import { expect, test } from 'vitest'
import { generic } from '../../personalities/generic.ts'
import { huaweiE173 } from '../../personalities/huawei-e173.ts'
import { huaweiE3372 } from '../../personalities/huawei-e3372.ts'
import { quectelEc25 } from '../../personalities/quectel-ec25.ts'
import { simcomSim800 } from '../../personalities/simcom-sim800.ts'
import { simcomSim7600 } from '../../personalities/simcom-sim7600.ts'
import { aliceNumber, EmulatedHost, emulatedNetwork, simOf } from '../../test-setup.ts'

const from = '+447700900999'
const ladder = ['2,1,2,1,0', '2,1,2,2,0', '2,1,2,0,0', '1,1,2,1,0', '1,1,2,2,0']

function ready(commands = '', options = {}) {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, options)
  if (commands !== '') expect(host.say(`${commands}\r`)).toContain('OK')
  const text = (body: string, more = {}) => world.network.sendText(from, aliceNumber, body, more)
  return { world, host, text }
}

/** Sends a SUBMIT to a number outside the emulator and requests a report. */
function sendWithReport(host: EmulatedHost): string {
  host.say('AT+CMGS=23\r')
  return host.say('0031000C914477000999990000A70AE8329BFD4697D9EC37\x1a')
}

test.each([
  [generic, '2,1,2,1,0'],
  [quectelEc25, '2,1,2,1,0'],
  [huaweiE3372, '2,1,2,1,0'],
  [huaweiE173, '2,1,2,2,0'],
  [simcomSim800, '2,1,2,1,0'],
  [simcomSim7600, '1,1,2,1,0'],
])('$0.name accepts $1 as the first of the CNMI fallbacks', (personality, taken) => {
  const { host } = ready('', { personality })
  const first = ladder.find((rung) => host.say(`AT+CNMI=${rung}\r`) === '\r\nOK\r\n')
  expect(first).toBe(taken)
  expect(host.say('AT+CNMI?\r')).toBe(`\r\n+CNMI: ${taken}\r\n\r\nOK\r\n`)
})

test.each([
  [huaweiE173, 'AT+CNMI=2,1,2,1,0', '\r\n+CMS ERROR: 302\r\n'],
  [simcomSim7600, 'AT+CNMI=2,1,2,2,0', '\r\nERROR\r\n'],
  [simcomSim800, 'AT+CNMI=2,1,2,2,0', '\r\nERROR\r\n'],
  [quectelEc25, 'AT+CNMI=3,1,0,0,0', '\r\n+CMS ERROR: 303\r\n'],
])('$0.name refuses $1 with its own error', (personality, command, reply) => {
  expect(ready('', { personality }).host.say(`${command}\r`)).toBe(reply)
})

test('mt=0 stores a message without an indication', () => {
  const { host, text } = ready('AT+CNMI=2,0')
  text('quiet')
  expect(host.wait(0)).toBe('')
  expect(host.say('AT+CPMS?\r')).toContain('"SM",1,30')
})

test('mt=1 stores a message and sends its index', () => {
  const { host, text } = ready('AT+CNMI=2,1')
  text('one')
  text('two')
  expect(host.wait(0)).toBe('\r\n+CMTI: "SM",1\r\n\r\n+CMTI: "SM",2\r\n')
})

test('mt=2 routes messages to the host and stores only messages for the SIM', () => {
  const { host, text } = ready('AT+CNMI=2,2')
  text('Hi')
  expect(host.wait(0)).toBe('\r\n+CMT: ,21\r\n0791447700090000040C9144770009909900006230106100000002C834\r\n')
  text('class 2', { messageClass: 2 })
  expect(host.wait(0)).toBe('\r\n+CMTI: "SM",1\r\n')
})

test('mt=3 routes only class 3 to the host', () => {
  const { host, text } = ready('AT+CNMI=2,3')
  text('class 3', { messageClass: 3 })
  expect(host.wait(0)).toContain('+CMT:')
  text('plain')
  expect(host.wait(0)).toBe('\r\n+CMTI: "SM",1\r\n')
})

test('text mode shows sender, time and text', () => {
  const { host, text } = ready('AT+CMGF=1;+CNMI=2,2')
  text('Hi')
  expect(host.wait(0)).toBe(`\r\n+CMT: "${from}",,"26/03/01,16:00:00+00"\r\nHi\r\n`)
  host.say('AT+CSDH=1\r')
  text('Hi')
  expect(host.wait(0)).toBe(`\r\n+CMT: "${from}",,"26/03/01,16:00:00+00",145,4,0,0,"+447700900000",145,2\r\nHi\r\n`)
})

test('mode 0 delays indications; the parameter bfr decides whether they are sent or dropped later', () => {
  for (const [bfr, shown] of [
    [0, '\r\n+CMTI: "SM",1\r\n\r\nOK\r\n'],
    [1, '\r\nOK\r\n'],
  ] as const) {
    const { host, text } = ready('AT+CNMI=0,1')
    text('early')
    expect(host.wait(0)).toBe('')
    expect(host.say(`AT+CNMI=2,1,0,0,${bfr}\r`)).toBe(shown)
  }
})

test('ds=1 shows reports, ds=2 stores them, ds=0 drops them', () => {
  const { host } = ready('AT+CNMI=2,1,0,1')
  sendWithReport(host)
  expect(host.wait(0)).toMatch(/^\r\n\+CDS: 25\r\n079144770009000006000C91447700099999/)
  host.say('AT+CNMI=2,1,0,2\r')
  sendWithReport(host)
  expect(host.wait(0)).toBe('\r\n+CDSI: "SM",1\r\n')
  expect(host.say('AT+CMGR=1\r')).toMatch(/^\r\n\+CMGR: 0,,25\r\n079144770009000006010C91/)
  host.say('AT+CNMI=2,1,0,0\r')
  sendWithReport(host)
  expect(host.wait(0)).toBe('')
})

test('shows and stores reports in text mode', () => {
  const { host } = ready('AT+CMGF=1;+CSMP=49,167,0,0;+CNMI=2,1,0,1')
  host.say('AT+CMGS="+447700909999"\r')
  host.say('x\x1a')
  const fields = '6,0,"+447700909999",145,"26/03/01,16:00:00+00","26/03/01,16:00:00+00",0'
  expect(host.wait(0)).toBe(`\r\n+CDS: ${fields}\r\n`)
})

test('stores reports in SR if it exists', () => {
  const { host } = ready('AT+CNMI=1,1,0,2', { personality: simcomSim7600 })
  sendWithReport(host)
  expect(host.wait(0)).toBe('\r\n+CDSI: "SR",0\r\n')
  host.say('AT+CPMS="SR"\r')
  expect(host.say('AT+CMGR=0\r')).toMatch(/^\r\n\+CMGR: 0,"",25\r\n/)
})

test('loses stored reports on an EC25', () => {
  const { host } = ready('AT+CNMI=2,1,0,2', { personality: quectelEc25 })
  sendWithReport(host)
  expect(host.wait(60_000)).toBe('')
  expect(host.say('AT+CPMS="SR"\r')).toContain('+CPMS: 0,10')
})

test('waits for CNMA before the next message with CSMS=1', () => {
  const { world, host, text } = ready('AT+CSMS=1;+CNMI=2,2')
  text('one')
  text('two')
  expect(host.wait(0)).toMatch(/^\r\n\+CMT: [^+]*$/)
  expect(host.wait(5000)).toBe('')
  expect(host.say('AT+CNMA\r')).toBe('\r\nOK\r\n')
  expect(host.wait(0)).toContain('+CMT')
  expect(host.say('AT+CNMA=1\r')).toBe('\r\nOK\r\n')
  expect(host.say('AT+CNMA\r')).toBe('\r\n+CMS ERROR: 340\r\n')
  expect(world.events.filter(({ kind }) => kind === 'arrived')).toHaveLength(2)
})

test('stops routing without CNMA and leaves the message with the network', () => {
  const { world, host, text } = ready('AT+CSMS=1;+CNMI=2,2,0,1')
  text('one')
  host.wait(0)
  host.wait(20_000)
  expect(host.say('AT+CNMI?\r')).toBe('\r\n+CNMI: 2,0,0,0,0\r\n\r\nOK\r\n')
  expect(world.network.snapshot().subscribers[0]?.kept).toBe(1)
  host.wait(60_000)
  expect(host.say('AT+CPMS?\r')).toContain('"SM",1,30')
})

test('refuses with CNMA, by number or with a PDU', () => {
  const { world, host, text } = ready('AT+CSMS=1;+CNMI=2,2')
  text('one')
  host.wait(0)
  expect(host.say('AT+CNMA=2,3\r')).toBe('\r\n> ')
  expect(host.say('00006F00\x1a')).toBe('\r\nOK\r\n')
  expect(world.network.snapshot().subscribers[0]?.kept).toBe(1)
})

test('acknowledges a silent message without showing it', () => {
  const { world, host, text } = ready('AT+CNMI=2,1')
  text('type 0', { protocolIdentifier: 0x40 })
  expect(host.wait(0)).toBe('')
  expect(host.say('AT+CPMS?\r')).toContain('"SM",0,30')
  expect(world.events.some(({ kind }) => kind === 'arrived')).toBe(true)
})

test('overwrites the earlier message with a replace message', () => {
  const { host, text } = ready('AT+CNMI=2,1;+CMGF=1')
  text('weather: rain', { protocolIdentifier: 0x41 })
  text('other', { protocolIdentifier: 0x42 })
  text('weather: sun', { protocolIdentifier: 0x41 })
  expect(host.wait(0)).toBe('\r\n+CMTI: "SM",1\r\n\r\n+CMTI: "SM",2\r\n\r\n+CMTI: "SM",1\r\n')
  expect(host.say('AT+CMGR=1\r')).toContain('weather: sun')
})

test('shows cell broadcasts only for subscribed identifiers', () => {
  const { world, host } = ready('AT+CNMI=2,1,2;+CSCB=0,"50-60",""')
  world.network.broadcast('Storm', { messageIdentifier: 51 })
  expect(host.read()).toMatch(/^\r\n\+CBM: 88\r\n001000330F1153FA5BDE6E341A8D46/)
  world.network.broadcast('Else', { messageIdentifier: 4370 })
  expect(host.read()).toBe('')
  host.say('AT+CMGF=1\r')
  world.network.broadcast('Storm', { messageIdentifier: 50 })
  expect(host.read()).toBe('\r\n+CBM: 16,50,15,1,1\r\nStorm\r\n')
})

test('reads, sets and stores the service centre on the SIM', () => {
  const { host } = ready()
  expect(host.say('AT+CSCA?\r')).toBe('\r\n+CSCA: "+447700900000",145\r\n\r\nOK\r\n')
  expect(host.say('AT+CSCA="4917",145\r')).toBe('\r\nOK\r\n')
  expect(host.modem.sim?.serviceCentre).toBe('+4917')
  expect(host.say('AT+CSCA="nobody"\r')).toBe('\r\n+CMS ERROR: 304\r\n')
  host.say('AT+CSCS="UCS2"\r')
  expect(host.say('AT+CSCA?\r')).toBe('\r\n+CSCA: "002B0034003900310037",145\r\n\r\nOK\r\n')
  expect(host.say('AT+CSCA="002B00340039"\r')).toBe('\r\nOK\r\n')
  expect(host.modem.sim?.serviceCentre).toBe('+49')
})

test('CSAS and CRES restore settings after a restart', () => {
  const { host } = ready('AT+CSMP=49,10,0,0;+CSAS', { bootTimeFactor: 0, sim: simOf(aliceNumber) })
  host.modem.reboot()
  host.read()
  host.say('ATE0\r')
  expect(host.say('AT+CSMP?\r')).toBe('\r\n+CSMP: 17,167,0,0\r\n\r\nOK\r\n')
  host.say('AT+CRES\r')
  expect(host.say('AT+CSMP?\r')).toBe('\r\n+CSMP: 49,10,0,0\r\n\r\nOK\r\n')
})

test('CSMS and CMMS follow 27.005', () => {
  const { host } = ready()
  expect(host.say('AT+CSMS=1;+CSMS?\r')).toBe('\r\n+CSMS: 1,1,1\r\n+CSMS: 1,1,1,1\r\n\r\nOK\r\n')
  expect(host.say('AT+CSMS=2\r')).toBe('\r\n+CMS ERROR: 302\r\n')
  expect(host.say('AT+CMMS=2;+CMMS?\r')).toBe('\r\n+CMMS: 2\r\n\r\nOK\r\n')
})
