import { expect, test } from 'vitest'
import { huaweiE3372 } from '../../personalities/huawei-e3372.ts'
import { quectelEc25 } from '../../personalities/quectel-ec25.ts'
import { simcomSim800 } from '../../personalities/simcom-sim800.ts'
import { simcomSim7600 } from '../../personalities/simcom-sim7600.ts'
import { aliceNumber, EmulatedHost, emulatedNetwork, simOf } from '../../test-setup.ts'

const from = '+447700900999'

function withMessages(texts: readonly string[], options = {}) {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, options)
  for (const text of texts) world.network.sendText(from, aliceNumber, text)
  host.wait(0)
  return { world, host }
}

test('PDU mode lists index, state, length and PDU and marks messages as read', () => {
  const { host } = withMessages(['Hi'])
  const pdu = '0791447700090000040C9144770009909900006230106100000002C834'
  expect(host.say('AT+CMGL=4\r')).toBe(`\r\n+CMGL: 1,0,,21\r\n${pdu}\r\n\r\nOK\r\n`)
  expect(host.say('AT+CMGR=1\r')).toMatch(/^\r\n\+CMGR: 1,,21\r\n/)
  expect(host.say('AT+CMGL=0\r')).toBe('\r\nOK\r\n')
  expect(host.say('AT+CMGL\r')).toBe('\r\nOK\r\n')
})

test('text mode lists sender, time and text; CSDH adds the other fields', () => {
  const { host } = withMessages(['Hi @ home'])
  host.say('AT+CMGF=1\r')
  expect(host.say('AT+CMGL="REC UNREAD"\r')).toBe(
    `\r\n+CMGL: 1,"REC UNREAD","${from}",,"26/03/01,16:00:00+00"\r\nHi \x00 home\r\n\r\nOK\r\n`,
  )
  host.say('AT+CSDH=1\r')
  expect(host.say('AT+CMGR=1\r')).toBe(
    `\r\n+CMGR: "REC READ","${from}",,"26/03/01,16:00:00+00",145,4,0,0,"+447700900000",145,9\r\nHi \x00 home\r\n\r\nOK\r\n`,
  )
  expect(host.say('AT+CMGL="ALL"\r')).toContain(',145,9\r\nHi')
  expect(host.say('AT+CMGL=4\r')).toBe('\r\n+CMS ERROR: 302\r\n')
})

test('shows phonebook names, alphanumeric senders and UCS-2 text', () => {
  const world = emulatedNetwork()
  const sim = simOf(aliceNumber, { phonebook: [{ name: 'Work', number: from }] })
  const host = new EmulatedHost(world, { sim })
  host.say('AT+CMGF=1\r')
  world.network.sendText(from, aliceNumber, 'a')
  world.network.sendText('Müller', aliceNumber, 'Привет')
  host.wait(0)
  expect(host.say('AT+CMGL="ALL"\r')).toBe(
    `\r\n+CMGL: 1,"REC UNREAD","${from}","Work","26/03/01,16:00:00+00"\r\na\r\n+CMGL: 2,"REC UNREAD","M\x7eller",,"26/03/01,16:00:00+00"\r\n041F04400438043204350442\r\n\r\nOK\r\n`,
  )
  host.say('AT+CSCS="UCS2"\r')
  expect(host.say('AT+CMGR=1\r')).toContain('"002B003400340037')
})

test('CPMS selects memories and shows their usage', () => {
  const { host } = withMessages(['a', 'b'], { personality: quectelEc25 })
  expect(host.say('AT+CPMS?\r')).toBe('\r\n+CPMS: "ME",2,255,"ME",2,255,"ME",2,255\r\n\r\nOK\r\n')
  expect(host.say('AT+CPMS="SM"\r')).toBe('\r\n+CPMS: 0,30,2,255,2,255\r\n\r\nOK\r\n')
  expect(host.say('AT+CPMS="SM","SM","SM"\r')).toBe('\r\n+CPMS: 0,30,0,30,0,30\r\n\r\nOK\r\n')
  expect(host.say('AT+CPMS="MT"\r')).toBe('\r\n+CPMS: 2,285,0,30,0,30\r\n\r\nOK\r\n')
  expect(host.say('AT+CPMS="XX"\r')).toBe('\r\n+CMS ERROR: 302\r\n')
  expect(host.say('AT+CPMS=?\r')).toContain('("ME","MT","SM","SR")')
})

test('MT combines both memories under one numbering', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { personality: quectelEc25 })
  world.network.sendText(from, aliceNumber, 'in ME')
  host.wait(0)
  host.say('AT+CPMS="ME","ME","SM"\r')
  world.network.sendText(from, aliceNumber, 'in SM')
  host.wait(0)
  host.say('AT+CPMS="MT";+CMGF=1\r')
  expect(host.say('AT+CMGL="ALL"\r')).toMatch(/\+CMGL: 0,.*in ME.*\+CMGL: 255,.*in SM/s)
  expect(host.say('AT+CMGD=255\r')).toBe('\r\nOK\r\n')
  expect(host.say('AT+CPMS?\r')).toContain('"SM",0,30')
})

test('indicates a message in MT with the memory that contains it', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world, { personality: simcomSim7600 })
  host.say('AT+CPMS="MT","MT","MT";+CNMI=1,1\r')
  for (let index = 0; index < 24; index++) world.network.sendText(from, aliceNumber, `${index}`)
  const indications = host.wait(0)
  expect(indications).toContain('+CMTI: "ME",22\r\n\r\n+CMTI: "SM",0')
  expect(host.say('AT+CPMS="SM";+CMGR=0\r')).toContain('+CMGR: 0,')
})

test.each([
  [simcomSim800, 1],
  [quectelEc25, 0],
  [simcomSim7600, 0],
  [huaweiE3372, 0],
])('$0.name counts indexes from %2$s', (personality, first) => {
  const { host } = withMessages(['a'], { personality })
  expect(host.say(`AT+CMGR=${first}\r`)).toContain('+CMGR: 0,')
})

test.each([
  [simcomSim800, 'AT+CMGR=9', '\r\nOK\r\n'],
  [huaweiE3372, 'AT+CMGR=9', '\r\n+CMS ERROR: 321\r\n'],
  [simcomSim800, 'AT+CMGR=31', '\r\n+CMS ERROR: 321\r\n'],
  [simcomSim800, 'AT+CMGR=0', '\r\n+CMS ERROR: 321\r\n'],
  [simcomSim800, 'AT+CMGD=9', '\r\nOK\r\n'],
  [simcomSim800, 'AT+CMGD=31', '\r\n+CMS ERROR: 321\r\n'],
])('$0.name answers $1 for an empty slot with $2', (personality, command, reply) => {
  expect(withMessages([], { personality }).host.say(`${command}\r`)).toBe(reply)
})

test.each([
  ['AT+CMGD=1', [2, 3, 4, 5]],
  ['AT+CMGD=1,0', [2, 3, 4, 5]],
  ['AT+CMGD=1,1', [1, 3, 4, 5]],
  ['AT+CMGD=1,2', [1, 3, 4]],
  ['AT+CMGD=1,3', [1, 3]],
  ['AT+CMGD=0,4', []],
])('flag %s deletes messages and leaves %j of unread, read, unread, unsent, sent', (command, left) => {
  const { host } = withMessages(['a', 'b', 'c'])
  host.say('AT+CMGR=2;+CMGF=1\r')
  for (const _ of [4, 5]) {
    host.say('AT+CMGW="1"\r')
    host.say('x\x1a')
  }
  host.say('AT+CMSS=5\r')
  expect(host.say(`${command}\r`)).toBe('\r\nOK\r\n')
  expect(host.say('AT+CMGD=?\r')).toBe(`\r\n+CMGD: (${left.join(',')}),(0-4)\r\n\r\nOK\r\n`)
})

test('refuses an unknown flag and deletes nothing', () => {
  const { host } = withMessages(['a'])
  expect(host.say('AT+CMGD=1,5\r')).toBe('\r\n+CMS ERROR: 302\r\n')
  expect(host.say('AT+CPMS?\r')).toContain('"SM",1,30')
})

test('reuses a freed slot first', () => {
  const { world, host } = withMessages(['a', 'b', 'c'])
  host.say('AT+CMGD=2;+CNMI=2,1\r')
  world.network.sendText(from, aliceNumber, 'd')
  expect(host.wait(0)).toBe('\r\n+CMTI: "SM",2\r\n')
})
