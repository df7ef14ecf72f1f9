import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { type TestPhone, testPhone } from '../mobile/testing/test-phone.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { deleteOldMessages } from './delete-old-messages-statement.ts'
import { hashMessages } from './hash-messages.ts'

let relay: TestRelay
let phone: TestPhone
const picture = randomBytes(1_000_000)
const photo = { contentType: 'image/jpeg', name: 'photo.jpg', data: picture.toString('base64') }
const to = { phoneNumbers: ['+12025550111', '+12025550112'] }

beforeAll(async () => {
  relay = await testRelay()
  phone = await testPhone(relay, relay.account, { capabilities: ['mms'] })
})
afterAll(() => relay.close())

function send(mmsMessage: unknown, more: object = {}, headers: Record<string, string> = {}) {
  return relay.api('POST', '/messages', { body: { ...to, mmsMessage, ...more }, headers })
}

const idOf = ({ json }: { readonly json: unknown }) => (json as { id: string }).id

/** Pulls all messages that are waiting for the phone. */
async function emptyPhone() {
  for (;;) {
    const pulled = await phone.pull()
    if (pulled.length === 0) return
    for (const { id } of pulled) await phone.report(id, 'Sent')
  }
}

test('a phone receives the whole MMS, which is stored once for all recipients', async () => {
  await emptyPhone()
  const accepted = await send({ subject: 'Holiday', text: 'From the beach', attachments: [photo] })
  const listed = { partId: 0, contentType: 'image/jpeg', name: 'photo.jpg', size: picture.length }
  const content = { subject: 'Holiday', text: 'From the beach', attachments: [listed] }
  expect([accepted.status, accepted.json]).toMatchObject([202, { deviceId: phone.id, mmsMessage: content }])
  expect(await relay.database.messageAttachment.count({ where: { message: { id: idOf(accepted) } } })).toBe(1)
  const [pulled] = (await phone.call('GET', '/messages')).json as object[]
  expect(pulled).toMatchObject({ id: idOf(accepted), phoneNumbers: to.phoneNumbers })
  expect(pulled).toMatchObject({ mmsMessage: { subject: 'Holiday', text: 'From the beach', attachments: [photo] } })
  expect(pulled).not.toHaveProperty('textMessage')
  expect(await phone.report(idOf(accepted), 'Sent')).toBe(204)
  const read = (await relay.api('GET', `/messages/${idOf(accepted)}`)).json
  expect(read).toMatchObject({
    state: 'Sent',
    mmsMessage: { ...content, attachments: [{ ...listed, data: photo.data }] },
  })
})

test('lists return the data of attachments together with the content, unless the request excludes the data', async () => {
  const id = idOf(await send({ attachments: [photo, { contentType: 'text/vcard', data: 'aGk=' }] }))
  const listed = async (query: string) =>
    ((await relay.api('GET', `/messages?${query}`)).json as { id: string }[]).find((one) => one.id === id)
  const sizes = [
    { partId: 0, size: picture.length },
    { partId: 1, contentType: 'text/vcard', size: 2 },
  ]
  expect(await listed('includeContent=true')).toMatchObject({ mmsMessage: { attachments: [photo, { data: 'aGk=' }] } })
  const short = await listed('includeContent=true&includeAttachmentData=false')
  expect(short).toMatchObject({ mmsMessage: { attachments: sizes } })
  expect(JSON.stringify(short)).not.toContain('"data"')
  expect(await listed('')).not.toHaveProperty('mmsMessage')
  const one = await relay.api('GET', `/messages/${id}?includeAttachmentData=false`)
  expect(one.json).toMatchObject({ mmsMessage: { attachments: sizes } })
  expect(one.text).not.toContain('"data"')
})

test('an attachment is downloaded with its media type, only with the scope messages:read', async () => {
  const id = idOf(await send({ attachments: [photo] }))
  const path = `/3rdparty/v1/messages/${id}/attachments/0`
  const auth = relay.account.basic
  const response = await fetch(relay.url + path, { headers: { authorization: auth } })
  expect(response.headers.get('content-type')).toBe('image/jpeg')
  expect(response.headers.get('content-disposition')).toContain('photo.jpg')
  expect(Buffer.from(await response.arrayBuffer()).equals(picture)).toBe(true)
  const other = await relay.addAccount()
  expect((await relay.request('GET', path, { auth: other.basic })).status).toBe(404)
  expect((await relay.api('GET', `/messages/${id}/attachments/1`)).status).toBe(404)
  const { json } = await relay.api('POST', '/auth/token', { body: { scopes: ['messages:send', 'messages:list'] } })
  const token = `Bearer ${(json as { access_token: string }).access_token}`
  expect((await relay.request('GET', path, { auth: token })).status).toBe(403)
})

test.each([
  [{ subject: 'Only a subject' }, 'mmsMessage'],
  [
    { attachments: [{ contentType: 'application/x-msdownload', data: 'aGk=' }] },
    'mmsMessage.attachments[0].contentType',
  ],
  [{ attachments: [{ contentType: 'image/png; x=1', data: 'aGk=' }] }, 'mmsMessage.attachments[0].contentType'],
  [{ attachments: [{ contentType: 'image/png', data: 'no base64' }] }, 'mmsMessage.attachments[0].data'],
  [{ attachments: [{ contentType: 'image/png', data: 'aGk' }] }, 'mmsMessage.attachments[0].data'],
  [{ attachments: Array(11).fill({ contentType: 'image/png', data: 'aGk=' }) }, 'mmsMessage.attachments'],
  [{ attachments: [photo, photo, photo, { ...photo, data: 'A'.repeat(200_000) }] }, 'mmsMessage.attachments'],
])('an invalid MMS is refused: %#', async (mmsMessage, path) => {
  expect(await send(mmsMessage)).toMatchObject({ status: 400, json: { errors: [{ path }] } })
})

test('exactly one of text, data and MMS is accepted', async () => {
  const both = await send({ text: 'a' }, { textMessage: { text: 'b' } })
  expect(both).toMatchObject({ status: 400, json: { errors: [{ path: 'mmsMessage' }] } })
})

/** A value in the form of a client that encrypts with a passphrase. */
const sealed = (octets: Buffer | string) => {
  const ciphertext = createHash('sha256').update(octets).digest()
  const whole = Buffer.concat([Buffer.from(octets), ciphertext])
  const blocks = whole.subarray(0, Math.floor(whole.length / 16) * 16)
  return `$aes-256-cbc/pbkdf2-sha1$i=75000$${randomBytes(16).toString('base64')}$${blocks.toString('base64')}`
}
const withKey = (octets: Buffer | string) =>
  `$rsa-oaep-aes-256-gcm$v=1$k=1$${randomBytes(256).toString('base64')}$${randomBytes(12).toString('base64')}$${Buffer.concat([Buffer.from(octets), randomBytes(16)]).toString('base64')}`
const sealedMms = (seal: typeof sealed) => ({
  subject: seal('Holiday'),
  text: seal('From the beach'),
  attachments: [
    { contentType: 'image/jpeg', name: seal('photo.jpg'), data: seal(photo.data) },
    { contentType: 'text/vcard', data: seal('aGk=') },
  ],
})
const sealedTo = (seal: typeof sealed) => ({ isEncrypted: true, phoneNumbers: [seal('+12025550111')] })

test.each([
  ['a passphrase', sealed],
  ['the key of the phone', withKey],
])('an MMS that is encrypted with %s reaches the phone as it was sent', async (_, seal) => {
  await emptyPhone()
  const body = { id: phone.id, publicKey: 'MIIB', keyVersion: 1 }
  expect((await phone.call('PATCH', '/device', body)).status).toBe(204)
  const mmsMessage = sealedMms(seal)
  const accepted = await send(mmsMessage, { ...sealedTo(seal), deviceId: phone.id })
  expect([accepted.status, accepted.json]).toMatchObject([202, { isEncrypted: true, deviceId: phone.id }])
  const [pulled] = await phone.pull()
  expect(pulled).toMatchObject({ id: idOf(accepted), isEncrypted: true, mmsMessage })
  const { json, text } = await relay.api('GET', `/messages/${idOf(accepted)}`)
  expect(json).toMatchObject({ mmsMessage })
  expect(text).not.toContain('beach')
  const listed = (await relay.api('GET', '/messages?includeContent=true&limit=1')).json
  expect(listed).toMatchObject([{ mmsMessage }])
  const path = `/3rdparty/v1/messages/${idOf(accepted)}/attachments/0`
  const response = await fetch(relay.url + path, { headers: { authorization: relay.account.basic } })
  expect((await response.text()) === mmsMessage.attachments[0]?.data).toBe(true)
})

test('an encrypted MMS must be encrypted as a whole and for one device, and an unencrypted MMS must contain no encrypted value', async () => {
  const whole = sealedMms(sealed)
  const [first, second] = whole.attachments
  const refused = async (mms: object, more: object = sealedTo(sealed)) => {
    const { status, json } = await send(mms, more)
    return [status, ...((json as { errors: { path: string }[] }).errors ?? []).map(({ path }) => path)]
  }
  expect(await refused({ ...whole, text: 'readable' })).toEqual([400, 'mmsMessage.text'])
  expect(await refused({ ...whole, subject: 'readable' })).toEqual([400, 'mmsMessage.subject'])
  const attachments = (one: object) => ({ ...whole, attachments: [first, one] })
  expect(await refused(attachments({ ...second, name: 'a.jpg' }))).toEqual([400, 'mmsMessage.attachments[1].name'])
  for (const data of ['aGk=', photo.data, `$aes-256-cbc/pbkdf2-sha1$i=0$${'A'.repeat(100_000)}`])
    expect(await refused(attachments({ ...second, data }))).toEqual([400, 'mmsMessage.attachments[1].data'])
  expect(await refused(sealedMms(withKey), sealedTo(withKey))).toEqual([400, 'deviceId'])
  for (const data of [sealed('short'), sealed(photo.data)])
    expect(await refused({ attachments: [{ ...photo, data }] }, {})).toEqual([400, 'mmsMessage.attachments[0].data'])
  const long = { subject: 'x'.repeat(257), attachments: [{ ...photo, name: 'x'.repeat(129) }] }
  expect(await refused(long, {})).toEqual([400, 'mmsMessage.subject', 'mmsMessage.attachments[0].name'])
  const withoutKey = await testPhone(relay, relay.account, { capabilities: ['mms'] })
  expect(await refused(sealedMms(withKey), { ...sealedTo(withKey), deviceId: withoutKey.id })).toEqual([
    400,
    'deviceId',
  ])
})

test('only an MMS may have a body above 256 KiB', async () => {
  const long = 'x'.repeat(300_000)
  const body = { ...to, textMessage: { text: 'a' }, unknown: long }
  expect((await relay.api('POST', '/messages', { body })).status).toBe(413)
  expect((await send({ text: 'a' }, { unknown: long })).status).toBe(202)
  const { status, json } = await send({ text: 'a' }, { unknown: 'x'.repeat(6_000_000) })
  expect([status, json.message]).toEqual([413, 'The body is larger than 5.58 MiB: send a smaller one'])
})

test('a repeated request with the same key sends one MMS', async () => {
  const key = { 'idempotency-key': 'mms once' }
  const [one, other] = await Promise.all([
    send({ attachments: [photo] }, {}, key),
    send({ attachments: [photo] }, {}, key),
  ])
  expect([one.status, other.status, idOf(one)]).toEqual([202, 202, idOf(other)])
  expect(one.json).toEqual(other.json)
  expect(await relay.database.messageAttachment.count({ where: { message: { id: idOf(one) } } })).toBe(1)
  const changed = Buffer.from(picture)
  changed[999_999] = (changed[999_999] ?? 0) ^ 1
  const another = await send({ attachments: [{ ...photo, data: changed.toString('base64') }] }, {}, key)
  expect(another.status).toBe(422)
})

test('a device that cannot send MMS is refused with the reason', async () => {
  const old = await testPhone(relay)
  const refused = await send({ text: 'a' }, { deviceId: old.id })
  expect(refused).toMatchObject({
    status: 400,
    json: { errors: [{ path: 'mmsMessage', message: expect.stringContaining('cannot be sent by this device') }] },
  })
  const without = await relay.addAccount()
  await testPhone(relay, without)
  const body = { ...to, mmsMessage: { text: 'a' } }
  const { json } = await relay.request('POST', '/3rdparty/v1/messages', { auth: without.basic, body })
  expect(json).toMatchObject({
    errors: [{ path: 'mmsMessage', message: expect.stringContaining('no device of the account can send MMS') }],
  })
  expect((await old.call('PATCH', '/device', { id: old.id, capabilities: ['mms'] })).status).toBe(204)
  expect((await send({ text: 'a' }, { deviceId: old.id })).status).toBe(202)
  expect((await old.call('PATCH', '/device', { id: old.id, pushToken: 'x' })).status).toBe(204)
  expect((await send({ text: 'a' }, { deviceId: old.id })).status).toBe(202)
  expect((await old.call('PATCH', '/device', { id: old.id, capabilities: [] })).status).toBe(204)
  // Waits, because the relay reads the devices once a second.
  await expect.poll(async () => (await send({ text: 'a' }, { deviceId: old.id })).status).toBe(400)
})

test.each([
  ['me.capcom.smsgateway/1.74.0', 202],
  ['me.capcom.smsgateway/2.0.0', 202],
  ['me.capcom.smsgateway/1.38.1', 400],
  ['okhttp/4.12', 400],
])('the app %s is recognised by its User-Agent', async (userAgent, status) => {
  const { json } = await relay.request('POST', '/mobile/v1/device', {
    body: { name: 'Pixel' },
    headers: { 'user-agent': userAgent },
  })
  expect((await send({ text: 'a' }, { deviceId: idOf({ json }) })).status).toBe(status)
})

test('a phone gets large MMS in several answers', async () => {
  await emptyPhone()
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) ids.push(idOf(await send({ attachments: [photo, photo] })))
  const answers: number[] = []
  const taken: string[] = []
  while (taken.length < ids.length) {
    const pulled = await phone.pull()
    answers.push(pulled.length)
    for (const { id } of pulled) await phone.report(id, 'Processed')
    taken.push(...pulled.map(({ id }) => id))
  }
  expect([taken.sort(), answers]).toEqual([ids.sort(), [2, 2, 1]])
})

test('conversations show subject and attachments, and find the text', async () => {
  const number = '+12025550119'
  await relay.api('POST', '/messages', {
    body: { phoneNumbers: [number], mmsMessage: { subject: 'Wedding', text: 'bouquet', attachments: [photo] } },
  })
  const { json } = await relay.api('GET', `/conversations/${encodeURIComponent(number)}`)
  const listed = { partId: 0, name: 'photo.jpg', size: picture.length, contentType: 'image/jpeg' }
  expect(json).toMatchObject([{ direction: 'out', text: 'bouquet', subject: 'Wedding', attachments: [listed] }])
  await relay.api('POST', '/messages', {
    body: { phoneNumbers: [number], mmsMessage: { subject: 'Cake', attachments: [photo] } },
  })
  const found = (await relay.api('GET', `/conversations?q=${encodeURIComponent(number)}`)).json
  expect(found).toMatchObject([{ lastText: 'MMS: Cake' }])
})

test('hashing erases subject, text and attachments, and keeps one hash of all of them', async () => {
  await emptyPhone()
  const id = idOf(await send({ subject: 'S', text: 'T', attachments: [photo] }))
  await phone.pull()
  await phone.report(id, 'Delivered')
  await hashMessages({ database: relay.database, clock: systemClock, hashAfterSeconds: -60 })
  const { json, text } = await relay.api('GET', `/messages/${id}`)
  const hash = createHash('sha256').update('ST').update(picture).digest('hex')
  expect(json).toMatchObject({ isHashed: true, hashedMessage: { hash } })
  expect(text).not.toContain('mmsMessage')
  expect(await relay.database.messageAttachment.count({ where: { message: { id } } })).toBe(0)
})

test('retention deletes attachments of any size in one run', async () => {
  await emptyPhone()
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) ids.push(idOf(await send({ attachments: [photo] })))
  await phone.pull()
  for (const id of ids) await phone.report(id, 'Delivered')
  // The rows contain a large size, so that the test needs no large pictures.
  await relay.database.messageAttachment.updateMany({ data: { size: 70 * 2 ** 20 } })
  const inTwoMonths = { now: () => new Date(Date.now() + 60 * 86_400_000) }
  expect(await deleteOldMessages({ database: relay.database, clock: inTwoMonths })).toBeGreaterThanOrEqual(3)
  expect(await relay.database.messageAttachment.count({ where: { message: { id: { in: ids } } } })).toBe(0)
})

test('retention deletes attachments with their message', async () => {
  await emptyPhone()
  const id = idOf(await send({ attachments: [photo] }))
  await phone.pull()
  await phone.report(id, 'Delivered')
  const { key } = await relay.database.message.findFirstOrThrow({ where: { id } })
  const inTwoMonths = { now: () => new Date(Date.now() + 60 * 86_400_000) }
  await deleteOldMessages({ database: relay.database, clock: inTwoMonths })
  expect((await relay.api('GET', `/messages/${id}`)).status).toBe(404)
  expect(await relay.database.messageAttachment.count({ where: { messageKey: key } })).toBe(0)
})
