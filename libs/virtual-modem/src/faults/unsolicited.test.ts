import { expect, test } from 'vitest'
import { huaweiE3372 } from '../personalities/huawei-e3372.ts'
import { simcomSim800 } from '../personalities/simcom-sim800.ts'
import { aliceNumber, EmulatedHost, emulatedNetwork } from '../test-setup.ts'

const from = '+447700900999'

test('urc-before-answer: sends a line between echo and answer', () => {
  const host = new EmulatedHost(emulatedNetwork(), { faults: { 'urc-before-answer': { line: '^RSSI:9', skip: 1 } } })
  host.say('ATE1\r')
  expect(host.say('AT+CSQ\r')).toBe('AT+CSQ\r\r\n^RSSI:9\r\n\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
})

test('urc-before-answer: sends a vendor line by default', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: huaweiE3372, faults: { 'urc-before-answer': {} } })
  expect(host.say('AT\r')).toMatch(/^\r\n\^[^\r]+\r\n\r\nOK\r\n$/)
})

test('urc-inside-list: sends a line between two entries', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { faults: { 'urc-inside-list': { line: '^MODE:5', times: 1 } } })
  for (const text of ['a', 'b', 'c']) world.network.sendText(from, aliceNumber, text)
  host.wait(0)
  host.say('AT+CMGF=1\r')
  expect(host.say('AT+CMGL="ALL"\r')).toMatch(/\r\na\r\n\r\n\^MODE:5\r\n\+CMGL: 2,.*\r\nb\r\n\+CMGL: 3/)
})

test('urc-before-pdu: sends a line between prompt and PDU', () => {
  const host = new EmulatedHost(emulatedNetwork(), { faults: { 'urc-before-pdu': { line: '+CIEV: 1,2' } } })
  expect(host.say('AT+CMGS=12\r')).toBe('\r\n> \r\n+CIEV: 1,2\r\n')
})

test('urc-flood: sends perSecond lines until it is cleared', () => {
  const host = new EmulatedHost(emulatedNetwork(), { personality: huaweiE3372 })
  host.modem.faults.set('urc-flood', { perSecond: 200 })
  const lines = host.wait(1000).match(/\^[A-Z]+/g) ?? []
  expect(lines.length).toBeGreaterThanOrEqual(200)
  expect(lines.length).toBeLessThanOrEqual(202)
  expect(host.say('AT+CSQ\r')).toContain('OK')
  host.modem.faults.clear('urc-flood')
  expect(host.wait(1000)).toBe('')
  host.modem.faults.set('urc-flood', { perSecond: 10 })
  expect(host.wait(1000)).not.toBe('')
})

test('nitz: repeats the vendor time lines', () => {
  const world = emulatedNetwork({ zoneQuarters: 4 })
  const host = new EmulatedHost(world, { personality: simcomSim800 })
  host.modem.faults.set('nitz', { everyMs: 60_000 })
  expect(host.read()).toBe('\r\n*PSUTTZ: 2026,3,1,17,0,0,"+4",0\r\n\r\nDST: 0\r\n')
  expect(host.wait(60_000)).toContain('*PSUTTZ: 2026,3,1,17,1,0')
})

test('bytes-one-by-one: sends every byte separately, also in a +CMT of two lines', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { faults: { 'bytes-one-by-one': {} } })
  host.say('AT+CNMI=2,2\r')
  host.chunks.length = 0
  world.network.sendText(from, aliceNumber, 'Hi')
  expect(host.wait(0)).toContain('+CMT: ,21\r\n0791')
  expect(host.chunks.length).toBeGreaterThan(60)
  expect(host.chunks.every((chunk) => chunk.length === 1)).toBe(true)
})

test('noise: sends noise before answers, and the noise never looks like an answer', () => {
  const host = new EmulatedHost(emulatedNetwork(), { faults: { noise: {} } })
  const rubbish = new Set<string>()
  for (let round = 0; round < 200; round++) {
    const answer = host.say('AT\r')
    expect(answer).toMatch(/\r\nOK\r\n$/)
    rubbish.add(answer.slice(0, -6))
  }
  expect(rubbish).toContain('\x00')
  expect(rubbish).toContain('\r\r\n')
  expect(rubbish.size).toBeGreaterThan(20)
  for (const text of rubbish) expect(text).not.toMatch(/[\x20-\x7e]/)
})
