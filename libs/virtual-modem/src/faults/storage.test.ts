import { expect, test } from 'vitest'
import { huaweiE3372 } from '../personalities/huawei-e3372.ts'
import { quectelEc25 } from '../personalities/quectel-ec25.ts'
import { simcomSim7600 } from '../personalities/simcom-sim7600.ts'
import { aliceNumber, EmulatedHost, emulatedNetwork } from '../test-setup.ts'

const from = '+447700900999'

function receive(faults: object, commands: string, options: object = {}) {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { faults, ...options })
  host.say(`${commands}\r`)
  const text = (body: string) => {
    world.network.sendText(from, aliceNumber, body)
    return host.wait(0)
  }
  const report = () => {
    host.say('AT+CMGS=23\r')
    host.say('0031000C914477000999990000A70AE8329BFD4697D9EC37\x1a')
    return host.wait(0)
  }
  return { ...world, host, text, report }
}

test('storage-full: sends ^SMMEMFULL and CMS 322 but no +CMTI, and delivers queued messages when cleared', () => {
  const { host, text } = receive({ 'storage-full': {} }, 'AT+CNMI=2,1', { personality: huaweiE3372 })
  expect(text('waits')).toBe('\r\n^SMMEMFULL: "SM"\r\n')
  expect(text('waits too')).toBe('')
  expect(host.say('AT+CPMS?\r')).toContain('"SM",30,30')
  host.say('AT+CMGW=12\r')
  expect(host.say('001100048121430000A702E834\x1a')).toBe('\r\n+CMS ERROR: 322\r\n')
  host.modem.faults.clear('storage-full')
  expect(host.wait(0)).toBe('\r\n+CMTI: "SM",0\r\n\r\n+CMTI: "SM",1\r\n')
})

test('cmti-other-memory: stores the message in SM although CPMS names ME', () => {
  const { host, text } = receive({ 'cmti-other-memory': {} }, 'AT+CNMI=2,1', { personality: quectelEc25 })
  expect(text('elsewhere')).toBe('\r\n+CMTI: "SM",0\r\n')
  expect(host.say('AT+CPMS?\r')).toContain('"ME",0,255')
  expect(host.say('AT+CPMS="SM"\r')).toContain('+CPMS: 1,30')
})

test('cdsi-wrong-memory: sends SM,0 for a report in SR', () => {
  const { host, report } = receive({ 'cdsi-wrong-memory': {} }, 'AT+CNMI=1,1,0,2', { personality: simcomSim7600 })
  report()
  expect(report()).toBe('\r\n+CDSI: "SM",0\r\n')
  expect(host.say('AT+CPMS="SR"\r')).toContain('+CPMS: 2,10')
})

test('cds-extra-comma: sends +CDS: ,25', () => {
  expect(receive({ 'cds-extra-comma': {} }, 'AT+CNMI=2,1,0,1').report()).toMatch(/^\r\n\+CDS: ,25\r\n0791/)
})

test('cmt-without-alpha: sends +CMT: 21', () => {
  expect(receive({ 'cmt-without-alpha': {} }, 'AT+CNMI=2,2').text('Hi')).toMatch(/^\r\n\+CMT: 21\r\n0791/)
})

test('cpms-lag: counts a new message late', () => {
  const { host, text } = receive({ 'cpms-lag': {} }, 'AT+CNMI=2,1')
  text('uncounted')
  expect(host.say('AT+CPMS?\r')).toContain('"SM",0,30')
  host.wait(500)
  expect(host.say('AT+CPMS?\r')).toContain('"SM",1,30')
})

test('delete-refused: refuses CMGD and keeps the message', () => {
  const { host, text } = receive({ 'delete-refused': { times: 1 } }, 'AT+CNMI=2,1')
  text('stays')
  expect(host.say('AT+CMGD=1\r')).toBe('\r\n+CMS ERROR: 321\r\n')
  expect(host.say('AT+CPMS?\r')).toContain('"SM",1,30')
  expect(host.say('AT+CMGD=1\r')).toBe('\r\nOK\r\n')
})

test('cmti-twice: sends the same line twice', () => {
  expect(receive({ 'cmti-twice': {} }, 'AT+CNMI=2,1').text('Hi')).toBe('\r\n+CMTI: "SM",1\r\n\r\n+CMTI: "SM",1\r\n')
})

test('urc-lost: stores the message without an indication', () => {
  const { host, text } = receive({ 'urc-lost': {} }, 'AT+CNMI=2,1')
  expect(text('silent')).toBe('')
  expect(host.say('AT+CPMS?\r')).toContain('"SM",1,30')
})
