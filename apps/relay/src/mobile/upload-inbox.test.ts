import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { type TestPhone, testPhone } from './testing/test-phone.ts'

let relay: TestRelay
let phone: TestPhone
beforeAll(async () => {
  relay = await testRelay()
})
afterAll(() => relay.close())
beforeEach(async () => {
  for (const table of ['inboxItem', 'webhook', 'device'] as const)
    await (relay.database[table] as AnyTable).deleteMany()
  phone = await testPhone(relay)
})
interface AnyTable {
  deleteMany(): Promise<unknown>
}

const facts = { sender: '+12025550123', recipient: '+12025550100', simNumber: 1, isEncrypted: false }
const received = (id: string, more: object = {}) => ({
  ...{ id, type: 'SMS', ...facts, content: 'hello', createdAt: new Date(Date.now() - 5_000).toISOString() },
  ...more,
})
const isBusy = ({ status, json }: { status: number; json: { message?: string } | undefined }) =>
  status === 503 && json?.message?.startsWith('Too many attachments')
const upload = (...messages: unknown[]) => phone.call('POST', '/inbox', messages)
const inbox = async () => (await relay.api('GET', '/inbox?includeAttachments=true')).json
const deliveries = () => relay.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })
const register = (event: string) => relay.api('POST', '/webhooks', { body: { url: 'https://example.org/', event } })

test('a received text is stored once and sent to webhooks once, even if it is uploaded repeatedly', async () => {
  await register('sms:received')
  const message = received('17')
  for (let count = 0; count < 3; count += 1) expect((await upload(message)).status).toBe(201)
  expect(await inbox()).toMatchObject([{ ...facts, type: 'SMS', text: 'hello', deviceId: phone.id, attachments: [] }])
  expect(await deliveries()).toMatchObject([{ event: 'sms:received', payload: { message: 'hello', simNumber: 1 } }])
})

test('messages of two phones with the same id are different messages', async () => {
  const other = await testPhone(relay)
  await upload(received('17'))
  await other.call('POST', '/inbox', [received('17', { content: 'other' })])
  expect((await inbox()).map(({ text }: { text: string }) => text).sort()).toEqual(['hello', 'other'])
})

test('data, encrypted texts and notices of MMS are stored as the phone reported them', async () => {
  await upload(
    received('1', { type: 'DATA_SMS', content: '3q2+7w==' }),
    received('2', { content: '$rsa-oaep-aes-256-gcm$v=1$k=1$AA==$AA==$AA==', isEncrypted: true }),
    received('3', { type: 'MMS', content: 'Holiday', simNumber: null, recipient: null }),
  )
  const items = await inbox()
  const ofType = (type: string) => items.find((item: { type: string }) => item.type === type)
  expect(ofType('DATA_SMS')).toMatchObject({ data: '3q2+7w==', contentPreview: 'deadbeef' })
  expect(ofType('SMS')).toMatchObject({ isEncrypted: true, text: expect.stringMatching(/^\$rsa-oaep/) })
  expect(ofType('MMS')).toMatchObject({ subject: 'Holiday' })
})

test.each([
  ['short', 'aGk='],
  ['long', Buffer.alloc(150_000, 'picture').toString('base64')],
])('a %s attachment that the phone has encrypted is stored and downloaded as it was uploaded', async (_, clear) => {
  const data = `$aes-256-cbc/pbkdf2-sha1$i=300000$${'A'.repeat(22)}==$${'B'.repeat(22)}==$${clear}`
  const attachments = [{ partId: 1, contentType: 'image/jpeg', name: '$aes-256-cbc/pbkdf2-sha1$i=1$AA==$AA==', data }]
  await upload(received('8', { type: 'MMS_DOWNLOADED', content: data.slice(0, 100), isEncrypted: true, attachments }))
  const [item] = await inbox()
  expect(item).toMatchObject({ isEncrypted: true, attachments: [{ partId: 1, size: data.length }] })
  const response = await fetch(`${relay.url}/3rdparty/v1/inbox/${item.id}/attachments/1`, {
    headers: { authorization: relay.account.basic },
  })
  expect((await response.text()) === data).toBe(true)
})

test('base64 of an attachment may have line breaks and no padding', async () => {
  const octets = Buffer.from(Uint8Array.from({ length: 100 }, (_, index) => index))
  const wrapped = octets.toString('base64').replace(/.{76}/g, '$&\n').replace(/=+$/, '\n')
  const attachments = [{ partId: 1, contentType: 'image/png', name: 'a.png', data: wrapped }]
  await upload(received('5', { type: 'MMS_DOWNLOADED', content: 'Look!', attachments }))
  expect(await inbox()).toMatchObject([{ text: 'Look!', attachments: [{ partId: 1, size: 100 }] }])
  const stored = await relay.database.inboxAttachment.findFirstOrThrow()
  expect(octets.equals(stored.octets)).toBe(true)
})

test.each([
  [
    'with escapes, as some encoders write it',
    (base64: string) => base64.replaceAll('/', '\\/').replaceAll('=', '\\u003d'),
  ],
  ['with line breaks', (base64: string) => base64.replace(/.{76}/g, '$&\\n')],
  ['without padding', (base64: string) => base64.replaceAll('=', '')],
])('a large picture is stored octet by octet: base64 %s', async (_, written) => {
  const octets = randomBytes(400_000)
  const attachments = [{ partId: 1, contentType: 'image/png', name: 'a.png', data: 'DATA' }]
  const body = JSON.stringify([received('5', { type: 'MMS_DOWNLOADED', content: 'Look!', attachments })])
  const response = await fetch(`${relay.url}/mobile/v1/inbox`, {
    method: 'POST',
    headers: { authorization: `Bearer ${phone.token}`, 'content-type': 'application/json' },
    body: body.replace('DATA', () => written(octets.toString('base64'))),
  })
  expect(response.status).toBe(201)
  const stored = await relay.database.inboxAttachment.findFirstOrThrow()
  expect([stored.size, octets.equals(stored.octets)]).toEqual([octets.length, true])
})

test('uploads for which there is no waiting slot are refused with 503, and succeed when they are repeated', async () => {
  const attachments = [{ partId: 1, contentType: 'image/png', name: 'a.png', data: 'AAAA' }]
  const messages = Array.from({ length: 205 }, (_, index) =>
    received(String(index), { type: 'MMS_DOWNLOADED', content: '', attachments }),
  )
  const ended: Awaited<ReturnType<typeof upload>>[] = []
  let all: Promise<unknown> | undefined
  await relay.database.$transaction(async (statements) => {
    await statements.$executeRaw`LOCK TABLE inbox_attachments IN ACCESS EXCLUSIVE MODE`
    all = Promise.all(messages.map(async (message) => ended.push(await upload(message))))
    await expect.poll(() => ended.filter(isBusy).length).toBe(3)
  })
  await all
  expect(ended.filter(isBusy)).toHaveLength(3)
  for (const message of messages) expect((await upload(message)).status).toBe(201)
  expect(await relay.database.inboxAttachment.count()).toBe(205)
})

test('an invalid attachment does not prevent storing the message and its other attachments', async () => {
  const whole = { partId: 1, contentType: 'image/png', name: 'a.png', data: 'AAAA' }
  const broken = [
    { ...whole, partId: 2, data: 'no base64!' },
    { ...whole, partId: 3, contentType: 'x'.repeat(129) },
    { ...whole, partId: 'four' },
  ]
  await upload(received('6', { type: 'MMS_DOWNLOADED', content: 'Look!', attachments: [...broken, whole] }))
  expect(await inbox()).toMatchObject([{ text: 'Look!', attachments: [{ partId: 1, size: 3 }] }])
})

test('a downloaded MMS with a picture of one MiB is stored once and downloaded as it was', async () => {
  await register('mms:downloaded')
  const octets = Buffer.from(Uint8Array.from({ length: 1_048_576 }, (_, index) => (index * 7) % 256))
  const picture = { partId: 3, contentType: 'image/jpeg', name: 'beach.jpg', size: octets.length }
  const attachments = [
    { ...picture, data: octets.toString('base64') },
    { ...picture, partId: 4 },
  ]
  const message = received('9', { type: 'MMS_DOWNLOADED', content: 'Look!', attachments })
  expect([(await upload(message)).status, (await upload(message)).status]).toEqual([201, 201])
  const [item] = await inbox()
  const listed = { partId: 3, name: 'beach.jpg', size: octets.length, contentType: 'image/jpeg' }
  expect(item).toMatchObject({ type: 'MMS_DOWNLOADED', text: 'Look!', contentPreview: 'Look!', attachments: [listed] })
  expect(await relay.database.inboxAttachment.count()).toBe(1)
  expect(await deliveries()).toMatchObject([
    { event: 'mms:downloaded', payload: { messageId: item.id, body: 'Look!', attachments: [listed] } },
  ])
  const response = await fetch(`${relay.url}/3rdparty/v1/inbox/${item.id}/attachments/3`, {
    headers: { authorization: relay.account.basic },
  })
  expect(Buffer.from(await response.arrayBuffer()).equals(octets)).toBe(true)
})

test('an attachment that was missing at first is added later, and webhooks receive the event again with all attachments', async () => {
  await register('mms:downloaded')
  const [text, picture] = [
    { partId: 1, contentType: 'text/plain', data: 'aGk=' },
    { partId: 2, contentType: 'image/png' },
  ]
  const mms = (...attachments: object[]) => received('9', { type: 'MMS_DOWNLOADED', attachments })
  const deliver = () => relay.database.webhookDelivery.updateMany({ data: { state: 'delivered', attempts: 1 } })
  await upload(mms(text, picture))
  expect(await inbox()).toMatchObject([{ attachments: [{ partId: 1, size: 2 }] }])
  const [first] = await deliveries()
  expect(first).toMatchObject({ payload: { attachments: [{ partId: 1 }] } })
  await deliver()
  await upload(mms({ ...picture, data: 'AAAA' }))
  expect(await inbox()).toMatchObject([{ attachments: [{ partId: 1 }, { partId: 2, size: 3 }] }])
  const both = [{ partId: 1 }, { partId: 2, size: 3 }]
  expect(await deliveries()).toMatchObject([{ id: first?.id, state: 'waiting', payload: { attachments: both } }])
  await deliver()
  await upload(mms(text, { ...picture, data: 'AAAA' }))
  expect(await deliveries()).toMatchObject([{ id: first?.id, state: 'delivered' }])
})

test('attachments of separate uploads are in the order of their part numbers', async () => {
  const picture = { contentType: 'image/png', data: 'AAAA' }
  for (const partId of [3, 1, 2])
    await upload(received('9', { type: 'MMS_DOWNLOADED', attachments: [{ ...picture, partId }] }))
  expect(await inbox()).toMatchObject([{ attachments: [{ partId: 1 }, { partId: 2 }, { partId: 3 }] }])
})

test('a late attachment from a blocked number is stored without an event', async () => {
  await register('mms:downloaded')
  const part = { partId: 1, contentType: 'text/plain' }
  const mms = (attachments: object[]) => received('9', { type: 'MMS_DOWNLOADED', attachments })
  await upload(mms([part]))
  await relay.database.webhookDelivery.deleteMany()
  const number = facts.sender
  await relay.database.conversationState.create({
    data: { accountId: relay.account.id, number, blockedAt: new Date() },
  })
  await upload(mms([{ ...part, data: 'aGk=' }]))
  expect(await inbox()).toMatchObject([{ attachments: [{ partId: 1, size: 2 }] }])
  expect(await deliveries()).toEqual([])
  await relay.database.conversationState.deleteMany()
})

test('a message in an unknown format is logged and does not block the other messages', async () => {
  expect((await upload(received('1'), { id: '2', type: 'RCS' }, received('3'))).status).toBe(201)
  expect(await inbox()).toHaveLength(2)
  await expect
    .poll(async () => (await relay.api('GET', '/logs')).json)
    .toContainEqual(
      expect.objectContaining({
        priority: 'WARN',
        message: 'ignored a received message: the phone sent it in an unknown format',
        context: expect.objectContaining({ member: 'type' }),
      }),
    )
})

test('an attachment that is too large is left out with a log entry, and the message is stored', async () => {
  const large = Buffer.alloc(8 * 1024 * 1024 + 1).toString('base64')
  const attachments = [
    { partId: 1, contentType: 'video/mp4', data: large },
    { partId: 2, contentType: 'text/plain', data: 'aGk=' },
  ]
  expect((await upload(received('large', { type: 'MMS_DOWNLOADED', attachments }))).status).toBe(201)
  expect(await inbox()).toMatchObject([{ attachments: [{ partId: 2 }] }])
  await expect
    .poll(async () => (await relay.api('GET', '/logs')).json)
    .toContainEqual(
      expect.objectContaining({
        priority: 'WARN',
        message: 'left out an attachment of a received message, because the attachment is larger than 8 MiB',
        context: expect.objectContaining({ partId: '1', bytes: String(8 * 1024 * 1024 + 1) }),
      }),
    )
})

test('accepts 500 messages at once, and no more', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => received(`m${index}`))
  expect((await upload(...many(501))).status).toBe(400)
  expect((await upload(...many(500))).status).toBe(201)
  expect(await relay.database.inboxItem.count()).toBe(500)
})
