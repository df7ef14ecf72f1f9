import { expect, test } from 'vitest'
import { seededRandom } from '../random.ts'
import { aliceNumber, EmulatedHost, emulatedNetwork } from '../test-setup.ts'
import { personalities } from './catalogue.ts'
import { generic } from './generic.ts'
import { huaweiE173 } from './huawei-e173.ts'
import { huaweiE3372 } from './huawei-e3372.ts'
import type { Personality } from './personality.ts'
import { quectelEc25 } from './quectel-ec25.ts'
import { simcomSim800 } from './simcom-sim800.ts'
import { simcomSim7600 } from './simcom-sim7600.ts'

const all = Object.values(personalities)

test.each([
  [generic, []],
  [quectelEc25, ['RDY', '+CFUN: 1', '+CPIN: READY', '+QUSIM: 1', '+QIND: SMS DONE', '+QIND: PB DONE']],
  [simcomSim7600, ['RDY', '+CPIN: READY', 'SMS DONE', 'PB DONE']],
  [simcomSim800, ['RDY', '+CFUN: 1', '+CPIN: READY', 'Call Ready', 'SMS Ready']],
  [huaweiE3372, ['^SIMST:1', '^STIN: 0,0,0', '^SRVST:2', '^MODE:17,17', '^RSSI:20', '^HCSQ:"LTE",47,40,151,24']],
  [huaweiE173, ['^SIMST:1', '^STIN: 0,0,0', '^SRVST:2', '^MODE:5,4', '^RSSI:20']],
])('$0.name boots with its own messages', (personality, lines) => {
  const host = new EmulatedHost(emulatedNetwork(), { personality, cold: true })
  host.modem.powerOn()
  expect(host.wait(120_000)).toBe(lines.map((line) => `\r\n${line}\r\n`).join(''))
  expect(host.modem.snapshot()).toMatchObject({ power: 'on', coverage: { stat: 1 } })
})

test.each([
  [quectelEc25, '+CPIN: NOT INSERTED'],
  [simcomSim7600, '+CPIN: SIM REMOVED'],
  [simcomSim800, '+CPIN: NOT INSERTED'],
  [huaweiE3372, '^SIMST:255'],
])('$0.name reports a missing SIM', (personality, line) => {
  const host = new EmulatedHost(emulatedNetwork(), { personality, cold: true, sim: null })
  host.modem.powerOn()
  expect(host.wait(120_000)).toContain(`\r\n${line}\r\n`)
})

test.each([
  [quectelEc25, '+QIND: "smsfull","SM"'],
  [simcomSim800, '+SMS FULL'],
  [huaweiE3372, '^SMMEMFULL: "SM"'],
])('$0.name reports a full memory', (personality, line) => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { personality })
  host.say('AT+CPMS="SM","SM","SM"\r')
  for (let index = 0; index < 31; index++) world.network.sendText('+4420', aliceNumber, 'x')
  expect(host.wait(0)).toContain(`\r\n${line}\r\n`)
})

test.each(all)('$name: its status and time lines have no line breaks', (personality) => {
  const random = seededRandom(1)
  const lines = Array.from({ length: 100 }, () => personality.statusLine(random))
  for (const line of [...lines, ...personality.timeLines(1_772_380_800_000, -14)]) expect(line).toMatch(/^[ -~]+$/)
})

test.each([
  [quectelEc25, ['+CTZV: +28', '+CTZE: "+28",0,"2026/03/01,23:00:00"']],
  [simcomSim7600, ['+CTZV: +28,0']],
  [simcomSim800, ['*PSUTTZ: 2026,3,1,23,0,0,"+28",0', 'DST: 0']],
  [huaweiE3372, ['^NWTIME: 26/03/01,23:00:00+28,0']],
])('$0.name reports the network time', (personality, lines) => {
  expect(personality.timeLines(1_772_380_800_000, 28)).toEqual(lines)
})

test.each([
  [generic, 'lte', ',7\r'],
  [huaweiE173, 'hspa', '"\r'],
  [simcomSim800, 'edge', '"\r'],
])('$0.name registers with $1 where the network offers LTE', (personality, technology, end) => {
  const host = new EmulatedHost(emulatedNetwork(), { personality })
  expect(host.modem.snapshot().coverage?.technology).toBe(technology)
  expect(host.say('AT+COPS?\r')).toContain(end)
})

test('a new family needs no changes of other code', () => {
  const other: Personality = {
    ...quectelEc25,
    name: 'quectel-eg91',
    title: 'Quectel EG91',
    identity: { ...quectelEc25.identity, model: 'EG91', about: () => ['Quectel', 'EG91'] },
    commands: {
      ...quectelEc25.commands,
      '+QTEST': { execute: () => ({ kind: 'finished', lines: ['7'], result: 'OK' }) },
    },
  }
  const host = new EmulatedHost(emulatedNetwork(), { personality: other })
  expect(host.say('ATI;+QTEST\r')).toBe('\r\nQuectel\r\nEG91\r\n7\r\n\r\nOK\r\n')
})

test.each(all)('$name is in the catalogue under its name, and supports the functions that it lists', (personality) => {
  expect(personalities[personality.name]).toBe(personality)
  const host = new EmulatedHost(emulatedNetwork(), { personality })
  expect(host.say('AT+CSCS=?;+CPMS=?;+CNMI=?;+CSMS=?;+CMGF=?\r')).toContain('\r\nOK\r\n')
  for (const set of personality.characterSets) expect(host.say(`AT+CSCS="${set}"\r`)).toBe('\r\nOK\r\n')
})
