import { textOfUserData } from '@smsgw/sms/fields/user-data'
import { concatenationOf, portsOf } from '@smsgw/sms/fields/user-data-header'
import { octetsFromHex } from '@smsgw/sms/octets'
import { decodeDeliver } from '@smsgw/sms/tpdu/deliver'
import { decodeStatusReport } from '@smsgw/sms/tpdu/status-report'
import { decodeMmsNotification } from '@smsgw/sms/wap/mms-notification'
import { decodeWspPush } from '@smsgw/sms/wap/wsp-push'
import { expect, test } from 'vitest'
import { aliceNumber, bobNumber, EmulatedHost, emulatedNetwork, simOf } from '../test-setup.ts'
import type { NetworkOptions } from './network.ts'

const outside = '+447700900999'

/** Returns two modems in text mode that request reports. */
function twoModems(options: Partial<NetworkOptions> = {}) {
  const world = emulatedNetwork(options)
  const alice = new EmulatedHost(world)
  const bob = new EmulatedHost(world, { sim: simOf(bobNumber, { messageCapacity: 2 }), imei: '004401520000020' })
  for (const host of [alice, bob]) host.say('AT+CMGF=1;+CNMI=2,1,0,1;+CSMP=49,167,0,0\r')
  return { ...world, alice, bob }
}

function send(host: EmulatedHost, to: string, text: string): string {
  host.say(`AT+CMGS="${to}"\r`)
  return host.say(`${text}\x1a`)
}

function deliversTo(host: EmulatedHost) {
  host.say('AT+CMGF=0\r')
  const pdus = host.say('AT+CMGL=4\r').match(/^[0-9A-F]{20,}/gm) ?? []
  return pdus.map((pdu) => decodeDeliver(octetsFromHex(pdu), 8))
}

test('delivers a message to another modem with the number of the sender, and sends a report to the sender', () => {
  const { alice, bob } = twoModems()
  expect(send(alice, bobNumber, 'Hi Bob')).toBe('\r\n+CMGS: 0\r\n\r\nOK\r\n')
  expect(bob.wait(0)).toBe('\r\n+CMTI: "SM",1\r\n')
  expect(bob.say('AT+CMGR=1\r')).toContain(`"${aliceNumber}",,"26/03/01,16:00:00+00"\r\nHi Bob`)
  expect(alice.read()).toMatch(/\+CDS: 6,0,"\+447700900222",145,.*,0\r\n$/)
})

test('sends no report that was not requested', () => {
  const { alice, bob } = twoModems()
  alice.say('AT+CSMP=17,167,0,0\r')
  send(alice, bobNumber, 'Hi')
  expect(bob.wait(0)).toContain('+CMTI')
  expect(alice.wait(1000)).toBe('')
})

test('delivers a message of a modem to itself', () => {
  const { alice } = twoModems()
  send(alice, aliceNumber, 'Me')
  expect(alice.wait(0)).toBe(
    `\r\n+CMTI: "SM",1\r\n\r\n+CDS: 6,0,"${aliceNumber}",145,"26/03/01,16:00:00+00","26/03/01,16:00:00+00",0\r\n`,
  )
})

test('applies latency before the answer and before arrival', () => {
  const { alice, bob, ledger } = twoModems({ latencyMs: 3000 })
  expect(send(alice, bobNumber, 'Hi')).toBe('')
  expect(alice.wait(2999)).toBe('')
  expect(ledger).toHaveLength(0)
  expect(alice.wait(1)).toBe('\r\n+CMGS: 0\r\n\r\nOK\r\n')
  expect(bob.wait(2999)).toBe('')
  expect(bob.wait(1)).toContain('+CMTI')
})

test('accepts a latency range and changes at run time', () => {
  const { alice, network } = twoModems({ latencyMs: { minMs: 1000, maxMs: 2000 } })
  send(alice, outside, 'Hi')
  expect(alice.wait(999)).toBe('')
  expect(alice.wait(1001)).toContain('OK')
  network.setLatency(0)
  expect(send(alice, outside, 'Hi')).toContain('OK')
})

test('writes the ledger entry before the sender receives a result', () => {
  const seen: string[] = []
  const world = emulatedNetwork({
    onAccepted: ({ text }) => seen.push(`accepted ${text}, answered ${host.read() !== ''}`),
  })
  const host: EmulatedHost = new EmulatedHost(world)
  host.say('AT+CMGF=1\r')
  send(host, outside, 'first')
  expect(seen).toEqual(['accepted first, answered false'])
})

test('records sender, receiver, content and part in the ledger', () => {
  const { alice, ledger } = twoModems()
  alice.say('AT+CMGF=1;+CSMP=81,167,0,8\r')
  send(alice, outside, '05000309030200480069')
  expect(ledger).toMatchObject([
    {
      sequence: 1,
      modem: '004401520000012',
      imsi: '001010000900111',
      destination: outside,
      text: 'Hi',
      part: { reference: 9, total: 3, sequence: 2 },
    },
  ])
})

test('sends long texts in parts of one message, in any encoding', () => {
  const { bob, network } = twoModems()
  const text = 'Ж'.repeat(100)
  expect(network.sendText(outside, bobNumber, text)).toBe(2)
  bob.wait(0)
  const delivers = deliversTo(bob)
  expect(delivers.map(({ userData }) => textOfUserData(userData)).join('')).toBe(text)
  expect(delivers.map(({ userData }) => concatenationOf(userData.header))).toEqual([
    { width: 8, reference: 1, total: 2, sequence: 1 },
    { width: 8, reference: 1, total: 2, sequence: 2 },
  ])
})

test('sends data to a port', () => {
  const { bob, network } = twoModems()
  network.sendData(outside, bobNumber, Uint8Array.of(1, 2, 3), { destinationPort: 16_000, sourcePort: 5 })
  bob.wait(0)
  const [deliver] = deliversTo(bob)
  expect(deliver && portsOf(deliver.userData.header)).toEqual({ width: 16, destination: 16_000, source: 5 })
  expect(deliver?.userData.units).toEqual(Uint8Array.of(1, 2, 3))
})

test.each(['code', 'text', 'general'] as const)(
  'an MMS notification arrives as a push, with its content type written as %s',
  (contentTypeForm) => {
    const { bob, network } = twoModems()
    const notification = {
      transactionId: 'T1',
      fromWithheld: false,
      from: outside,
      contentLocation: 'http://mms.example/1',
    }
    network.sendMmsNotification(outside, bobNumber, notification, { contentTypeForm })
    bob.wait(0)
    const delivers = deliversTo(bob)
    const push = decodeWspPush(Uint8Array.from(delivers.flatMap(({ userData }) => [...userData.units])))
    expect(push.contentType).toBe('application/vnd.wap.mms-message')
    expect(decodeMmsNotification(push.body)).toEqual(notification)
  },
)

test('queues messages that do not fit and delivers them when memory is free', () => {
  const { bob, network, events } = twoModems()
  for (const text of ['one', 'two', 'three', 'four']) network.sendText(outside, bobNumber, text)
  expect(bob.wait(0)).toBe('\r\n+CMTI: "SM",1\r\n\r\n+CMTI: "SM",2\r\n')
  expect(bob.modem.sim?.memoryExceeded).toBe(true)
  expect(events.filter(({ kind }) => kind === 'kept')).toMatchObject([{ reason: 'memory-full' }])
  expect(bob.say('AT+CPMS?\r')).toContain('"SM",2,2')
  bob.say('AT+CMGD=1\r')
  expect(bob.wait(0)).toBe('\r\n+CMTI: "SM",1\r\n')
  expect(bob.say('AT+CMGR=1\r')).toContain('three')
  bob.say('AT+CMGD=0,4\r')
  expect(bob.wait(0)).toContain('+CMTI')
  expect(network.snapshot().subscribers.find(({ msisdn }) => msisdn === bobNumber)?.kept).toBe(0)
})

test('retries a full memory on a timer', () => {
  const { bob, network } = twoModems({ retryMs: 10_000 })
  for (const text of ['one', 'two', 'three']) network.sendText(outside, bobNumber, text)
  bob.wait(0)
  bob.modem.sim?.messages.whenFreed(undefined)
  bob.modem.sim?.messages.remove(0)
  expect(bob.wait(9999)).toBe('')
  expect(bob.wait(1)).toContain('+CMTI: "SM",1')
})

test('queues messages while a modem is off and delivers them in order when it registers', () => {
  const { alice, bob, network, clock } = twoModems()
  bob.modem.powerOff()
  send(alice, bobNumber, 'one')
  send(alice, bobNumber, 'two')
  clock.advance(3_600_000)
  expect(alice.read()).not.toContain('+CDS')
  expect(network.snapshot().subscribers).toMatchObject([{}, { attached: false, kept: 2 }])
  bob.modem.powerOn({ warm: true })
  bob.say('ATE0\r')
  clock.advance(0)
  expect(bob.say('AT+CMGF=1;+CMGL="ALL"\r')).toMatch(/one.*two/s)
  expect(alice.read().match(/\+CDS:/g)).toHaveLength(2)
})

test('delivers nothing without coverage or radio', () => {
  const { bob, network } = twoModems()
  network.setCoverage(bobNumber, { stat: 2 })
  network.sendText(outside, bobNumber, 'one')
  expect(bob.wait(1000)).toBe('')
  network.setCoverage(bobNumber, { stat: 1 })
  expect(bob.wait(0)).toContain('+CMTI')
  bob.say('AT+CFUN=4\r')
  network.sendText(outside, bobNumber, 'two')
  expect(bob.wait(1000)).toBe('')
  bob.say('AT+CFUN=1\r')
  expect(bob.wait(0)).toContain('+CMTI')
})

test('drops an expired message and reports it to the sender', () => {
  const { alice, bob, network } = twoModems()
  bob.modem.powerOff()
  alice.say('AT+CSMP=49,0,0,0\r')
  send(alice, bobNumber, 'soon stale')
  expect(alice.wait(299_999)).toBe('')
  expect(alice.wait(2)).toMatch(/\+CDS: .*,70\r\n$/)
  expect(network.snapshot().subscribers[1]?.kept).toBe(0)
})

test('lets each message expire after its own validity period', () => {
  const { alice, bob, network } = twoModems()
  bob.modem.powerOff()
  for (const [period, text] of [
    [2, 'fifteen minutes'],
    [0, 'five'],
    [1, 'ten'],
  ]) {
    alice.say(`AT+CSMP=49,${period},0,0\r`)
    send(alice, bobNumber, `${text}`)
  }
  const kept = () => network.snapshot().subscribers[1]?.kept
  const left = [299_000, 2000, 298_000, 3000, 297_000, 2000].map((ms) => {
    alice.wait(ms)
    return kept()
  })
  expect(left).toEqual([3, 2, 2, 1, 1, 0])
})

test.each([
  [{ outcome: 'delivered', afterMs: 1000 }, [0]],
  [{ outcome: 'fails' }, [0x49]],
  [{ outcome: 'fails', status: 0x41 }, [0x41]],
  [{ outcome: 'delivered-late', finallyAfterMs: 5000 }, [0x21, 0]],
  [{ outcome: 'silent' }, []],
  [{ outcome: 'expires', afterMs: 10 }, [0x46]],
] as const)('a message to a number that is %j is reported as %j', (policy, statuses) => {
  const { alice, network } = twoModems()
  network.setDeliveryPolicy('+4477', policy)
  send(alice, outside, 'Hi')
  const reports = alice.wait(86_400_000).match(/,(\d+)\r\n/g) ?? []
  expect(reports.map((report) => Number(/\d+/.exec(report)))).toEqual(statuses)
})

test('refuses a rejected number with its cause, without a ledger entry; the longest prefix is used', () => {
  const { alice, network, ledger, events } = twoModems()
  network.setDeliveryPolicy('+44', { outcome: 'rejected', cause: 38 })
  network.setDeliveryPolicy('+4477009009', { outcome: 'delivered' })
  network.setDeliveryPolicy('+447', { outcome: 'rejected', cause: 1 })
  expect(send(alice, '+4420', 'Hi')).toBe('\r\n+CMS ERROR: 38\r\n')
  expect(ledger).toHaveLength(0)
  expect(events).toContainEqual({ kind: 'refused', imsi: '001010000900111', destination: '+4420', cause: 38 })
  expect(send(alice, outside, 'Hi')).toContain('OK')
  network.clearDeliveryPolicy()
  expect(send(alice, '+4420', 'Hi')).toContain('OK')
})

test('keeps the last thousand messages to outside numbers', () => {
  const { alice, network } = twoModems()
  send(alice, outside, 'Bye')
  expect(network.snapshot().left).toMatchObject([{ from: aliceNumber, to: outside, text: 'Bye' }])
  for (let index = 0; index < 1000; index++) send(alice, outside, `${index}`)
  expect(network.snapshot().left).toHaveLength(1000)
  expect(network.snapshot().left[0]?.text).toBe('0')
})

test('reports contain the reference, the recipient and both times', () => {
  const { alice, network, clock } = twoModems({ zoneQuarters: -20 })
  network.setDeliveryPolicy('', { outcome: 'delivered', afterMs: 90_000 })
  alice.say('AT+CMGF=0\r')
  alice.say('AT+CMGS=23\r')
  alice.say('0031000C914477000999990000A70AE8329BFD4697D9EC37\x1a')
  clock.advance(90_000)
  const pdu = /[0-9A-F]{30,}/.exec(alice.read())?.[0] ?? ''
  expect(decodeStatusReport(octetsFromHex(pdu), 8)).toMatchObject({
    messageReference: 0,
    recipient: { value: '447700909999' },
    serviceCentreTimeStamp: { hour: 11, minute: 0, second: 0, zoneQuarters: -20 },
    dischargeTime: { hour: 11, minute: 1, second: 30 },
    status: 0,
  })
})

test('delivers octets unchanged that are not a message', () => {
  const { bob, network } = twoModems()
  for (const raw of ['', '00', 'FFFFFFFF', '0405A1']) network.sendRaw(bobNumber, octetsFromHex(raw))
  bob.wait(0)
  expect(bob.say('AT+CMGL="ALL"\r')).toContain('OK')
  bob.say('AT+CMGF=0\r')
  expect(bob.say('AT+CMGL=4\r')).toContain('OK')
})

test('throws for a number that no SIM has', () => {
  expect(() => emulatedNetwork().network.sendText(outside, '+999', 'Hi')).toThrow('no SIM here has the number +999')
})
