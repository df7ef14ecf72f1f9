import { octetsFromHex } from '@smsgw/sms/octets'
import { decodeSubmit } from '@smsgw/sms/tpdu/submit'
import { expect, test } from 'vitest'
import { EmulatedHost, emulatedNetwork } from '../../test-setup.ts'

/** To +447700900999, relative validity, report requested: "hellohello". */
const submitPdu = '0031000C914477000999990000A70AE8329BFD4697D9EC37'

test('PDU mode: prompt, PDU, Ctrl-Z, reference, OK', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  expect(host.say('AT+CMGS=23\r')).toBe('\r\n> ')
  expect(host.say(`${submitPdu}\x1a`)).toBe('\r\n+CMGS: 0\r\n\r\nOK\r\n')
  expect(world.ledger).toMatchObject([
    { sequence: 1, destination: '+447700909999', text: 'hellohello', messageReference: 0, imsi: '001010000900111' },
  ])
})

test('uses the counter of the SIM as reference, not the reference in the PDU, and wraps after 255', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  const references = Array.from({ length: 258 }, () => {
    host.say('AT+CMGS=23\r')
    return Number(/\+CMGS: (\d+)/.exec(host.say(`${submitPdu}\x1a`))?.[1])
  })
  expect(references.slice(254)).toEqual([254, 255, 0, 1])
  expect(world.ledger.map(({ messageReference }) => messageReference)).toEqual(references)
  expect(decodeSubmit(octetsFromHex(world.ledger[200]?.pdu ?? '')).messageReference).toBe(200)
})

test('answers CMS 304 to a wrong length or text that is not hexadecimal, and sends nothing', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  for (const [length, data] of [
    [22, submitPdu],
    [23, `${submitPdu}0`],
    [23, 'hello'],
    [23, ''],
  ] as const) {
    host.say(`AT+CMGS=${length}\r`)
    expect(host.say(`${data}\x1a`)).toBe('\r\n+CMS ERROR: 304\r\n')
  }
  expect(host.say('AT+CMGS=0\r')).toBe('\r\n+CMS ERROR: 304\r\n')
  expect(host.say('AT+CMGS="+123"\r')).toBe('\r\n+CMS ERROR: 304\r\n')
  expect(host.say('AT+CMGS\r')).toBe('\r\nERROR\r\n')
  expect(world.ledger).toEqual([])
})

test('answers CMS 304 to octets that are not a SUBMIT', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.say('AT+CMGS=4\r')
  expect(host.say('0031000C91\x1a')).toBe('\r\n+CMS ERROR: 304\r\n')
})

test('ignores line breaks inside a PDU', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.say('AT+CMGS=23\r')
  expect(host.say(`${submitPdu.slice(0, 20)}\r\n${submitPdu.slice(20)}\x1a`)).toBe('\r\n+CMGS: 0\r\n\r\nOK\r\n')
})

test('text mode uses CSMP and CSCS', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  host.say('AT+CMGF=1;+CSMP=49,167,0,0\r')
  host.say('AT+CMGS="447700909999",145\r')
  expect(host.say('Price: 5 \x02 or 5\x1a')).toBe('\r\n+CMGS: 0\r\n\r\nOK\r\n')
  host.say('AT+CSCS="UCS2";+CMGS="002B00340034"\r')
  host.say('00480069\x1a')
  host.say('AT+CSCS="GSM";+CSMP=17,167,0,8\r')
  host.say('AT+CMGS="+44"\r')
  host.say('041F0440\x1a')
  host.say('AT+CSMP=17,167,0,4\r')
  host.say('AT+CMGS="+44"\r')
  host.say('0102FF\x1a')
  expect(world.ledger.map(({ destination, text, data }) => [destination, text ?? data])).toEqual([
    ['+447700909999', 'Price: 5 $ or 5'],
    ['+44', 'Hi'],
    ['+44', 'Пр'],
    ['+44', '0102FF'],
  ])
  expect(decodeSubmit(octetsFromHex(world.ledger[0]?.pdu ?? ''))).toMatchObject({
    statusReportRequest: true,
    validityPeriod: { format: 'relative', value: 167 },
  })
})

test('text mode with a header reads hexadecimal', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  host.say('AT+CMGF=1;+CSMP=81,167,0,8\r')
  host.say('AT+CMGS="+44"\r')
  host.say('0500030702010048\x1a')
  expect(world.ledger).toMatchObject([{ text: 'H', part: { reference: 7, total: 2, sequence: 1 } }])
})

test('answers CMS 305 to text that does not fit and to invalid numbers', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  host.say('AT+CMGF=1\r')
  expect(host.say('AT+CMGS="Bob"\r')).toBe('\r\n+CMS ERROR: 305\r\n')
  expect(host.say('AT+CMGS=\r')).toBe('\r\n+CMS ERROR: 305\r\n')
  host.say('AT+CMGS="+44"\r')
  expect(host.say(`${'x'.repeat(161)}\x1a`)).toBe('\r\n+CMS ERROR: 305\r\n')
  expect(world.ledger).toEqual([])
})

test('answers CMS 331 when not registered, and CMS 330 without a service centre', () => {
  const world = emulatedNetwork({ coverage: { stat: 3 } })
  const host = new EmulatedHost(world)
  const send = () => {
    host.say('AT+CMGS=23\r')
    return host.say(`${submitPdu}\x1a`)
  }
  expect(send()).toBe('\r\n+CMS ERROR: 331\r\n')
  world.network.setCoverage(undefined, { stat: 6 })
  expect(send()).toContain('+CMGS')
  if (host.modem.sim) host.modem.sim.serviceCentre = ''
  expect(send()).toBe('\r\n+CMS ERROR: 330\r\n')
})

test('ends a SUBMIT without an answer after its own timeout, whether the message was sent or not', () => {
  const world = emulatedNetwork({ latencyMs: 200_000 })
  const host = new EmulatedHost(world)
  host.say('AT+CMGS=23\r')
  host.say(`${submitPdu}\x1a`)
  expect(host.wait(119_999)).toBe('')
  expect(host.wait(1)).toBe('\r\n+CMS ERROR: 332\r\n')
  expect(world.ledger).toHaveLength(0)
  host.wait(100_000)
  expect(world.ledger).toHaveLength(1)
})

test('writes and sends stored messages and changes their state', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  host.say('AT+CMGW=23\r')
  expect(host.say(`${submitPdu}\x1a`)).toBe('\r\n+CMGW: 1\r\n\r\nOK\r\n')
  expect(host.say('AT+CMGR=1\r')).toBe(`\r\n+CMGR: 2,,23\r\n${submitPdu}\r\n\r\nOK\r\n`)
  expect(host.say('AT+CMSS=1\r')).toBe('\r\n+CMSS: 0\r\n\r\nOK\r\n')
  expect(host.say('AT+CMSS=1,"+4930",145\r')).toBe('\r\n+CMSS: 1\r\n\r\nOK\r\n')
  expect(host.say('AT+CMGL=3\r')).toBe(`\r\n+CMGL: 1,3,,23\r\n${submitPdu}\r\n\r\nOK\r\n`)
  expect(host.say('AT+CMSS=2\r')).toBe('\r\n+CMS ERROR: 321\r\n')
  expect(world.ledger.map(({ destination, text }) => [destination, text])).toEqual([
    ['+447700909999', 'hellohello'],
    ['+4930', 'hellohello'],
  ])
})

test('writes drafts and received messages in text mode', () => {
  const host = new EmulatedHost(emulatedNetwork())
  host.say('AT+CMGF=1\r')
  host.say('AT+CMGW="+4420"\r')
  expect(host.say('Draft\x1a')).toBe('\r\n+CMGW: 1\r\n\r\nOK\r\n')
  host.say('AT+CMGW="+4420",145,"REC UNREAD"\r')
  expect(host.say('Come in\x1a')).toBe('\r\n+CMGW: 2\r\n\r\nOK\r\n')
  expect(host.say('AT+CMGL="ALL"\r')).toBe(
    '\r\n+CMGL: 1,"STO UNSENT","+4420",,\r\nDraft\r\n+CMGL: 2,"REC UNREAD","+4420",,"26/03/01,16:00:00+00"\r\nCome in\r\n\r\nOK\r\n',
  )
})

test('CMGC sends an SMS-COMMAND without a ledger entry', () => {
  const world = emulatedNetwork()
  const host = new EmulatedHost(world)
  host.say('AT+CMGC=13\r')
  host.say('00020000000005048121430000\x1a')
  host.wait(0)
  host.say('AT+CMGC=10\r')
  host.say('0002000000050481214300\x1a')
  expect(host.wait(0)).toMatch(/\+CMGC: \d+\r\n\r\nOK/)
  expect(world.ledger).toEqual([])
})
