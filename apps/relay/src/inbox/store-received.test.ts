import { afterEach, beforeEach, expect, test } from 'vitest'
import { useTestDatabase } from '../testing/test-database.ts'
import type { Received } from './insert-received-statement.ts'
import { storeUploaded } from './store-received.ts'

const shared = useTestDatabase()
beforeEach(async () => {
  for (const id of ['a1', 'a2']) {
    await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
    for (const event of ['sms:received', 'sms:data-received', 'mms:received'])
      await shared.database.webhook.create({ data: { accountId: id, id: event, event, url: '', secretSealed: '' } })
  }
})
afterEach(() => shared.database.account.deleteMany())

const now = new Date('2026-03-01T09:00:00Z')
const device = { id: 'd1', accountId: 'a1' }
const facts = { kind: 'received', receivedAt: '2026-03-01T15:46:11.250+07:00', sender: '+1', simNumber: 2 } as const
const text = (more: Partial<Received & { type: 'SMS' }> = {}): Received => ({
  ...facts,
  id: 'i1',
  type: 'SMS',
  text: 'hello',
  parts: 1,
  ...more,
})
const mms = { type: 'MMS', transactionId: 'T1', subject: 'Holiday', size: 7, contentClass: '' } as const
const items = () => shared.database.inboxItem.findMany({ orderBy: { key: 'asc' } })
const deliveries = () => shared.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })
const store = (received: Received, from = device) =>
  shared.database.$transaction((statements) => storeUploaded(statements, from, received, now))

test('stores a text with the time and offset of the agent, and notifies webhooks', async () => {
  await store(text({ recipient: '+66812345678' }))
  expect(await items()).toMatchObject([
    {
      accountId: 'a1',
      id: 'i1',
      deviceId: 'd1',
      type: 'SMS',
      sender: '+1',
      recipient: '+66812345678',
      simNumber: 2,
      createdAt: new Date('2026-03-01T08:46:11.250Z'),
      offsetMinutes: 420,
      text: 'hello',
      isPartial: false,
    },
  ])
  expect(await deliveries()).toMatchObject([
    {
      event: 'sms:received',
      deviceId: 'd1',
      payload: {
        messageId: 'i1',
        message: 'hello',
        recipient: '+66812345678',
        receivedAt: '2026-03-01T15:46:11.250+07:00',
      },
    },
  ])
})

test.each(['1980-01-06T00:00:00Z', '2026-03-02T09:00:00.001Z', '9999-12-31T23:59:59Z'])(
  'a message that an agent dates %s gets the present time, and is listed and deleted according to it',
  async (receivedAt) => {
    await store(text({ receivedAt }))
    expect(await items()).toMatchObject([{ createdAt: now }])
    expect(await deliveries()).toMatchObject([{ payload: { receivedAt: '2026-03-01T09:00:00.000+00:00' } }])
  },
)

test('data and MMS notifications keep all their members', async () => {
  await store({ ...facts, id: 'i1', type: 'DATA_SMS', data: '3q2+7w==', port: 53739 })
  await store({ ...facts, id: 'i2', ...mms, expiresAt: '2026-03-04T08:46:11Z' })
  const stored = await items()
  expect(stored[0]).toMatchObject({
    data: new Uint8Array([0xde, 0xad, 0xbe, 0xef]),
    port: 53739,
    text: null,
    mms: null,
  })
  const { type, ...members } = mms
  expect(stored[1]).toMatchObject({ type, mms: { ...members, expiresAt: '2026-03-04T08:46:11Z' } })
  expect((await deliveries()).map(({ payload }) => payload)).toMatchObject([
    { data: '3q2+7w==', port: 53739, recipient: null },
    { ...members, expiresAt: '2026-03-04T15:46:11.000+07:00', recipient: null },
  ])
})

test('concurrent and repeated reports result in one item and one event', async () => {
  await Promise.all(Array.from({ length: 8 }, () => store(text())))
  await store(text(), { id: 'd2', accountId: 'a1' })
  expect(await items()).toMatchObject([{ deviceId: 'd1' }])
  expect(await deliveries()).toHaveLength(1)
})

test('the same id in another account is another message', async () => {
  await store(text())
  await store(text(), { id: 'd9', accountId: 'a2' })
  expect(await items()).toHaveLength(2)
  expect(new Set((await deliveries()).map(({ id }) => id)).size).toBe(2)
})

test('completes a partial message under its id, and delivers its event again with the whole text', async () => {
  await store(text({ text: 'the beginning …', isPartial: true }))
  await shared.database.webhookDelivery.updateMany({ data: { state: 'delivered', finishedAt: new Date() } })
  const [before] = await deliveries()
  await store(text({ text: 'the beginning and the end', parts: 2 }))
  expect(await items()).toMatchObject([{ text: 'the beginning and the end', isPartial: false }])
  expect(await deliveries()).toMatchObject([
    { id: before?.id, state: 'waiting', finishedAt: null, payload: { message: 'the beginning and the end' } },
  ])
})

test('if the end of a partial message arrives encrypted, the message is shown as encrypted, also to webhooks', async () => {
  await store(text({ text: 'the beginning …', isPartial: true }))
  await store(text({ text: '$rsa…', parts: 2, isEncrypted: true }))
  expect(await items()).toMatchObject([{ text: '$rsa…', isEncrypted: true }])
  expect(await deliveries()).toMatchObject([{ payload: { message: '$rsa…', isEncrypted: true } }])
})

test('does not deliver a repeated partial message again', async () => {
  await store(text({ text: 'the beginning …', isPartial: true }))
  await shared.database.webhookDelivery.updateMany({ data: { state: 'delivered' } })
  await store(text({ text: 'the beginning …', isPartial: true }))
  expect(await items()).toMatchObject([{ text: 'the beginning …', isPartial: true }])
  expect(await deliveries()).toMatchObject([{ state: 'delivered' }])
})

test('a late partial report does not replace the whole message', async () => {
  await store(text({ text: 'the beginning and the end', parts: 2 }))
  await store(text({ text: 'the beginning …', isPartial: true }))
  expect(await items()).toMatchObject([{ text: 'the beginning and the end', isPartial: false }])
  expect(await deliveries()).toHaveLength(1)
})

test('replaces characters that the database cannot store', async () => {
  await store(
    text({ id: 'i\u0000', sender: 'A\u0000', recipient: '\ud800', text: 'half \ud83d of a pair, NUL \u0000' }),
  )
  await store({ ...facts, id: 'i2', ...mms, subject: '\u0000\udc00' })
  expect(await items()).toMatchObject([
    { id: 'i\ufffd', sender: 'A\ufffd', recipient: '\ufffd', text: 'half \ufffd of a pair, NUL \ufffd' },
    { mms: { subject: '\ufffd\ufffd' } },
  ])
})

test("stores neither item nor event when the transaction of the agent's events fails", async () => {
  const failing = shared.database.$transaction(async (statements) => {
    await storeUploaded(statements, device, text(), now)
    throw new Error('a later event')
  })
  await expect(failing).rejects.toThrow('a later event')
  expect(await items()).toEqual([])
  expect(await deliveries()).toEqual([])
})
