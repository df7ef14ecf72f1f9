import { addressFromText } from '@smsgw/sms/fields/address'
import { timeStampFromEpochMs } from '@smsgw/sms/fields/time-stamp'
import { hexFromOctets } from '@smsgw/sms/octets'
import { encodeForModem } from '@smsgw/sms/tpdu/tpdu'
import { encodeMmsNotification } from '@smsgw/sms/wap/mms-notification-encode'
import { encodeWspPush, mmsMediaType } from '@smsgw/sms/wap/wsp-push'
import { beforeEach, expect, test } from 'vitest'
import { ReceiverFixture } from '../testing/receiver-fixture.ts'

let world: ReceiverFixture

beforeEach(() => {
  world = new ReceiverFixture()
})

const minute = 60_000
const hour = 60 * minute

test('reports a message once with its SIM, and deletes it from its slot', async () => {
  world.deliver(one('hello'))
  await world.pass(1000)
  expect(await world.received()).toMatchObject([
    { type: 'SMS', text: 'hello', sender: '+447700900123', recipient: '+447700900001', simNumber: 1, parts: 1 },
  ])
  expect(world.storage.size).toBe(0)
})

test('deletes a message only after it is on disk', async () => {
  world.deliver(one('hello'))
  world.kill()
  await world.pass(minute)
  expect(world.storage.size).toBe(1)
  await world.start()
  await world.pass(1000)
  expect(await world.received()).toHaveLength(1)
  expect(world.storage.size).toBe(0)
})

test.each([
  [1, 1],
  [4, 4],
])('requests up to %i deletions at the same time, and retries each one that failed', async (limit, most) => {
  world.deletionsAtOnce = limit
  await world.restart()
  world.stuck.add(5)
  for (let i = 0; i < 12; i += 1) world.store(one(`message ${i}`))
  world.sweep()
  await world.pass(1000)
  expect(world.mostDeletionsAtOnce).toBe(most)
  expect([...world.storage.keys()]).toEqual([5])
  world.stuck.clear()
  await world.pass(10_000)
  expect(world.storage.size).toBe(0)
  expect(await world.received()).toHaveLength(12)
})

test('reports a message once if it is read again after a restart', async () => {
  world.deletesWork = false
  world.deliver(one('hello'))
  await world.pass(1000)
  await world.restart()
  await world.pass(1000)
  world.sweep()
  await world.pass(1000)
  expect(await world.received()).toHaveLength(1)
  world.deletesWork = true
  await world.pass(10_000)
  expect(world.storage.size).toBe(0)
})

test('treats a redelivery after the network timers as the same message, also in another slot', async () => {
  const pdu = one('hello')
  world.deliver(pdu)
  await world.pass(20_000)
  world.deliver(pdu)
  await world.pass(hour)
  await Promise.all([world.direct(pdu), world.pass(3000)])
  expect(await world.received()).toHaveLength(1)
  expect(world.storage.size).toBe(0)
})

test('reports two equal messages as two messages with different ids', async () => {
  const pdu = one('again')
  world.store(pdu)
  world.store(pdu)
  world.sweep()
  await world.pass(1000)
  const received = await world.received()
  expect(received.map((event) => event.type === 'SMS' && event.text)).toEqual(['again', 'again'])
  expect(new Set(received.map(({ id }) => id)).size).toBe(2)
  expect(world.storage.size).toBe(0)
})

test('reports a long message after its last part, in any order and across restarts', async () => {
  const parts = world.text(`${'a'.repeat(200)}${'b'.repeat(200)}`)
  world.deliver(parts[2] as string)
  await world.pass(1000)
  await world.restart()
  world.deliver(parts[0] as string)
  await world.pass(1000)
  expect(await world.received()).toEqual([])
  await world.restart()
  world.deliver(parts[1] as string)
  await world.pass(1000)
  expect(await world.received()).toMatchObject([{ text: `${'a'.repeat(200)}${'b'.repeat(200)}`, parts: 3 }])
  expect(world.storage.size).toBe(0)
})

test('reports an incomplete message as partial, and later the complete message under the same id', async () => {
  const parts = world.text('x'.repeat(400))
  world.deliver(parts[0] as string)
  world.deliver(parts[2] as string)
  await world.pass(2 * hour)
  await world.restart()
  await world.pass(2 * hour)
  world.deliver(parts[1] as string)
  await world.pass(1000)
  const [partial, whole, ...more] = await world.received()
  expect(partial).toMatchObject({ isPartial: true, parts: 3 })
  expect(whole).toMatchObject({ id: partial?.id, text: 'x'.repeat(400) })
  expect(whole).not.toHaveProperty('isPartial')
  expect(more).toEqual([])
})

test('keeps the port of data and the flash flag', async () => {
  world.deliver(world.data(Uint8Array.of(1, 2, 255), 5000)[0] as string)
  world.deliver(world.text('look', { flash: true })[0] as string)
  await world.pass(1000)
  expect(await world.received()).toMatchObject([
    { type: 'DATA_SMS', data: 'AQL/', port: 5000 },
    { type: 'SMS', text: 'look', isFlash: true },
  ])
})

test('reports a message once if the network repeated it before the SIM was known', async () => {
  const pdu = one('hello')
  for (const ageMs of [25_000, 5_000]) void world.direct(pdu, ageMs)
  await world.pass(1000)
  void world.direct(pdu)
  await world.pass(minute)
  expect(await world.received()).toHaveLength(1)
})

test('reports an MMS notification once, also when the network repeats it', async () => {
  const push = encodeWspPush({
    transactionId: 1,
    contentType: mmsMediaType,
    body: encodeMmsNotification({
      transactionId: 'T1',
      from: '+447700900555',
      fromWithheld: false,
      subject: 'Photo',
      messageSizeOctets: 2048,
      contentLocation: 'http://mms/1',
      expiry: { kind: 'relative', seconds: 3600 },
    }),
  })
  for (const pdu of world.data(push, 2948)) world.deliver(pdu)
  await world.pass(10 * minute)
  for (const pdu of world.data(push, 2948)) world.deliver(pdu)
  await world.pass(1000)
  expect(await world.received()).toMatchObject([
    { type: 'MMS', transactionId: 'T1', sender: '+447700900555', subject: 'Photo', size: 2048, contentClass: '' },
  ])
  expect(world.storage.size).toBe(0)
})

test('uses the time of the network if it is plausible, otherwise the time of the agent', async () => {
  const nowMs = world.clock.epochMs()
  world.deliver(world.text('yesterday', { atMs: nowMs - 24 * hour })[0] as string)
  world.deliver(world.text('in 1998', { atMs: Date.UTC(1998, 1, 1) })[0] as string)
  await world.pass(1000)
  const [yesterday, in1998] = await world.received()
  expect(Date.parse(yesterday?.receivedAt ?? '')).toBe(nowMs - 24 * hour)
  expect(Date.parse(in1998?.receivedAt ?? '') - nowMs).toBeLessThan(10_000)
})

test('stores messages while the clock cannot be trusted, and later reports them with a date', async () => {
  world.time.trusted = false
  world.deliver(world.text('early', { atMs: Date.UTC(1998, 1, 1) })[0] as string)
  await world.pass(5 * minute)
  expect(await world.received()).toEqual([])
  expect(world.storage.size).toBe(0)
  world.time.trusted = true
  const settled = world.receiver.settleWaiting()
  await world.pass(1000)
  await settled
  const [early] = await world.received()
  expect(world.clock.epochMs() - Date.parse(early?.receivedAt ?? '')).toBeGreaterThanOrEqual(5 * minute)
})

test('keeps a report that matches no message, and tries to match it again', async () => {
  world.reportsMatch = false
  world.deliver(report())
  await world.pass(1000)
  expect(world.storage.size).toBe(0)
  await world.restart()
  world.reportsMatch = true
  const settled = world.receiver.settleWaiting()
  await world.pass(1000)
  await settled
  const tries = world.reports.length
  expect(tries).toBeGreaterThanOrEqual(2)
  const again = world.receiver.settleWaiting()
  await world.pass(1000)
  await again
  expect(world.reports).toHaveLength(tries)
})

test('keeps an invalid PDU, logs it without its content, and deletes it from its slot', async () => {
  world.deliver('0004FFFFFF')
  world.deliver(one('fine'))
  await world.pass(1000)
  expect(await world.received()).toMatchObject([{ text: 'fine' }])
  expect((await world.events()).filter(({ kind }) => kind === 'logged')).toMatchObject([{ priority: 'WARN' }])
  expect(world.storage.size).toBe(0)
  const { journal } = world.disk.session()
  expect((await journal.read('inbound', { sinceMs: 0 })).map(({ pdu }) => pdu)).toContain('0004FFFFFF')
})

test('logs a silent message and does not report it', async () => {
  const { userData, dataCodingScheme } = { userData: plain('x'), dataCodingScheme: 0 }
  world.deliver(world.pdu(userData, dataCodingScheme, { protocolIdentifier: 0x40 }))
  await world.pass(1000)
  expect(await world.received()).toEqual([])
  expect((await world.events())[0]).toMatchObject({ kind: 'logged', priority: 'INFO' })
})

test('does not report a silent part of a long message, also after a restart', async () => {
  const [first, second] = world.text('long '.repeat(50), { protocolIdentifier: 0x40 }) as [string, string]
  world.deliver(first)
  await world.pass(1000)
  await world.restart()
  world.deliver(second)
  await world.pass(2 * 60 * 60_000)
  expect(await world.received()).toEqual([])
})

function one(text: string): string {
  return world.text(text)[0] as string
}

function plain(text: string) {
  return { alphabet: 'gsm7' as const, header: undefined, units: Uint8Array.from(text, (c) => c.charCodeAt(0)) }
}

function report(): string {
  const stamp = timeStampFromEpochMs(world.clock.epochMs(), 0)
  return hexFromOctets(
    encodeForModem({
      kind: 'status-report',
      moreMessagesToSend: false,
      loopPrevention: false,
      statusReportQualifier: false,
      messageReference: 5,
      recipient: addressFromText('+447700900123'),
      serviceCentreTimeStamp: stamp,
      dischargeTime: stamp,
      status: 0,
    }).octets,
  )
}
