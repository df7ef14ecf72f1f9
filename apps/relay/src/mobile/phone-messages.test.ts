import {
  createCipheriv,
  createDecipheriv,
  createHash,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loseSilentDevices } from '../link/claim/lose-messages.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { type TestPhone, testPhone } from './testing/test-phone.ts'

let relay: TestRelay
let phone: TestPhone
beforeAll(async () => {
  relay = await testRelay()
})
afterAll(() => relay.close())
beforeEach(async () => {
  await relay.database.message.deleteMany()
  await relay.database.device.deleteMany()
  phone = await testPhone(relay)
})

async function send(body: object = {}): Promise<string> {
  const { status, json } = await relay.api('POST', '/messages', {
    body: { phoneNumbers: ['+12025550123'], textMessage: { text: 'hello' }, ...body },
  })
  expect([status, json.message]).toEqual([202, undefined])
  return json.id
}
const stateOf = async (id: string) => (await relay.api('GET', `/messages/${id}`)).json

test('a report in an unknown format does not lose the other reports of the phone', async () => {
  const id = await send()
  await phone.pull()
  const recipients = [{ phoneNumber: '+12025550123', state: 'Failed', error: 'no service '.repeat(500) }]
  const reports = [{ id: 'other' }, 'unknown', { id, state: 'Failed', recipients }]
  expect((await phone.call('PATCH', '/messages', reports)).status).toBe(204)
  const {
    state,
    recipients: [recipient],
  } = await stateOf(id)
  expect([state, recipient.error]).toEqual(['Failed', expect.stringMatching(/^no service /)])
})

test('a message is sent by a phone, from Pending to Delivered, with an event for each step', async () => {
  for (const event of ['sms:sent', 'sms:delivered'])
    await relay.api('POST', '/webhooks', { body: { id: event, url: 'https://example.org/', event } })
  const id = await send({ ttl: 600, simNumber: 1, priority: 5 })
  const [pulled, ...others] = await phone.pull()
  expect(others).toEqual([])
  expect(pulled).toMatchObject({
    ...{ id, state: 'Pending', phoneNumbers: ['+12025550123'], message: 'hello', textMessage: { text: 'hello' } },
    ...{ isEncrypted: false, simNumber: 1, withDeliveryReport: true, priority: 5 },
    ...{ ttl: expect.any(Number), validUntil: expect.any(String), createdAt: expect.any(String) },
  })
  expect(await stateOf(id)).toMatchObject({ state: 'Pending', deviceId: phone.id })
  const recipient = (state: string) => ({ recipients: [{ phoneNumber: '+12025550123', state }] })
  expect(await phone.report(id, 'Pending', recipient('Pending'))).toBe(204)
  expect(await stateOf(id)).toMatchObject({ state: 'Processed' })
  const sentAt = new Date(Date.now() - 1_000).toISOString()
  await phone.report(id, 'Sent', { ...recipient('Sent'), states: { Pending: sentAt, Sent: sentAt } })
  await phone.report(id, 'Delivered', recipient('Delivered'))
  // A late report does not change the state back.
  await phone.report(id, 'Sent', recipient('Sent'))
  expect(await stateOf(id)).toMatchObject({ state: 'Delivered', simNumber: 1 })
  expect(await phone.pull()).toEqual([])
  const events = await relay.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })
  expect(events.map(({ event, deviceId }) => [event, deviceId])).toEqual([
    ['sms:sent', phone.id],
    ['sms:delivered', phone.id],
  ])
  expect(events[0]?.payload).toMatchObject({ messageId: id, sender: '+12025550100', simNumber: 1 })
})

/** A time of a phone whose clock is two hours ahead of UTC. */
const secondsAgo = (seconds: number) =>
  `${new Date(Date.now() - seconds * 1_000 + 7_200_000).toISOString().slice(0, 19)}.000+02:00`
const utc = (time: string) => new Date(time).toISOString()

async function olderMessage(body: object = {}): Promise<string> {
  const id = await send(body)
  await relay.database.message.updateMany({ data: { createdAt: new Date(Date.now() - 60_000) } })
  await phone.pull()
  return id
}

async function outboundEvents() {
  const all = await relay.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })
  return all.map(({ event, payload }) => {
    const { sentAt, deliveredAt, failedAt } = payload as Record<string, string>
    return [event, sentAt ?? deliveredAt ?? failedAt]
  })
}

async function registerOutbound() {
  await relay.database.webhook.deleteMany()
  for (const event of ['sms:sent', 'sms:delivered', 'sms:failed'])
    await relay.api('POST', '/webhooks', { body: { id: event, url: 'https://example.org/', event } })
}

test('a report of several steps keeps the time of each, also in the webhooks', async () => {
  await registerOutbound()
  const id = await olderMessage()
  const [processed, sent, delivered] = [secondsAgo(40), secondsAgo(30), secondsAgo(20)]
  const states = { Processed: processed, Sent: sent, Delivered: delivered }
  await phone.report(id, 'Delivered', { recipients: [{ phoneNumber: '+12025550123', state: 'Delivered' }], states })
  const reported = { Processed: utc(processed), Sent: utc(sent), Delivered: utc(delivered) }
  expect((await stateOf(id)).states).toEqual({ Pending: expect.any(String), ...reported })
  const events = [
    ['sms:sent', sent],
    ['sms:delivered', delivered],
  ]
  expect(await outboundEvents()).toEqual(events)
  // A repeated report with other times changes nothing.
  const [later, latest] = [secondsAgo(10), secondsAgo(5)]
  await phone.report(id, 'Delivered', { states: { Processed: later, Sent: later, Delivered: latest } })
  expect((await stateOf(id)).states).toEqual({ Pending: expect.any(String), ...reported })
  expect(await outboundEvents()).toEqual(events)
})

test('a step that is already known keeps its first time', async () => {
  await registerOutbound()
  const id = await olderMessage()
  const [taken, sent, delivered] = [secondsAgo(50), secondsAgo(40), secondsAgo(30)]
  await phone.report(id, 'Pending', { states: { Pending: taken } })
  await phone.report(id, 'Sent', { states: { Pending: taken, Processed: secondsAgo(45), Sent: sent } })
  await phone.report(id, 'Delivered', { states: { Processed: secondsAgo(35), Sent: delivered, Delivered: delivered } })
  expect((await stateOf(id)).states).toMatchObject({
    ...{ Processed: utc(taken), Sent: utc(sent), Delivered: utc(delivered) },
  })
  expect(await outboundEvents()).toEqual([
    ['sms:sent', sent],
    ['sms:delivered', delivered],
  ])
})

test('a report of a message with several numbers keeps its times, whatever each number reached', async () => {
  await registerOutbound()
  const id = await olderMessage({ phoneNumbers: ['+12025550123', '+12025550124'] })
  const [processed, sent] = [secondsAgo(40), secondsAgo(30)]
  const recipients = [
    { phoneNumber: '+12025550123', state: 'Sent' },
    { phoneNumber: '+12025550124', state: 'Failed', error: 'no service' },
  ]
  await phone.report(id, 'Sent', { recipients, states: { Processed: processed, Sent: sent } })
  const { state, states } = await stateOf(id)
  expect([state, states]).toEqual(['Sent', { Pending: expect.any(String), Processed: utc(processed), Sent: utc(sent) }])
  // The number that failed was not sent, although the message has a time for Sent.
  const events = await outboundEvents()
  expect(events.map(([event]) => event).sort()).toEqual(['sms:failed', 'sms:sent'])
  expect(events).toContainEqual(['sms:sent', sent])
})

test('a failure after Sent keeps the time of Sent', async () => {
  await registerOutbound()
  const id = await olderMessage()
  const [processed, sent, failed] = [secondsAgo(40), secondsAgo(30), secondsAgo(20)]
  await phone.report(id, 'Failed', { states: { Processed: processed, Sent: sent, Failed: failed } })
  expect((await stateOf(id)).states).toMatchObject({
    ...{ Processed: utc(processed), Sent: utc(sent), Failed: utc(failed) },
  })
  expect(await outboundEvents()).toEqual([
    ['sms:sent', sent],
    ['sms:failed', failed],
  ])
})

test('times that cannot be true end in a plausible order, each step with one webhook', async () => {
  await registerOutbound()
  const wrong = [
    { Processed: '2999-01-01T00:00:00Z', Sent: '2999-01-01T00:00:00Z' },
    { Processed: secondsAgo(5), Sent: secondsAgo(30) },
    { Processed: '2024-02-01T00:00:00Z', Sent: '1970-01-01T00:00:00Z' },
    { Processed: 7, Sent: 'soon', Exploded: secondsAgo(5), Cancelled: secondsAgo(5), Failed: secondsAgo(5) },
  ]
  for (const times of wrong) {
    await relay.database.webhookDelivery.deleteMany()
    const id = await olderMessage()
    const delivered = secondsAgo(10)
    expect(await phone.report(id, 'Delivered', { states: { ...times, Delivered: delivered } })).toBe(204)
    const { createdAt, states } = await stateOf(id)
    const { Pending, Processed = Pending, Sent = Processed, Delivered, ...others } = states
    expect([Pending, Delivered, others]).toEqual([createdAt, utc(delivered), {}])
    const inOrder = [Pending, Processed, Sent, Delivered]
    expect(inOrder.toSorted()).toEqual(inOrder)
    expect((await outboundEvents()).map(([event]) => event)).toEqual(['sms:sent', 'sms:delivered'])
  }
})

test('the times of a report may be numbers, which are ignored', async () => {
  const id = await send()
  await phone.pull()
  expect(await phone.report(id, 'Sent', { states: { Sent: 1_700_000_000_000 } })).toBe(204)
  const { state, states } = await stateOf(id)
  expect([state, Date.now() - Date.parse(states.Sent) < 3_600_000]).toEqual(['Sent', true])
})

test('a lost answer loses nothing, because the message is returned again until the phone confirms it', async () => {
  const id = await send()
  expect(await phone.pull()).toMatchObject([{ id }])
  expect(await phone.pull()).toMatchObject([{ id }])
  await phone.report(id, 'Pending')
  await phone.report(id, 'Pending')
  expect(await phone.pull()).toEqual([])
})

test('a message is dispatched to one phone and with all its numbers, even if several phones ask repeatedly', async () => {
  const other = await testPhone(relay)
  const phoneNumbers = ['+12025550123', '+12025550124', '+12025550125']
  const ids = await Promise.all(Array.from({ length: 20 }, () => send({ phoneNumbers })))
  const pulls = await Promise.all([phone, other, phone, other].map((one) => one.pull()))
  const [ofPhone, ofOther] = [pulls[0], pulls[1]].map((pulled = []) => pulled.map(({ id }) => id))
  const again = [...(await phone.pull()), ...(await other.pull())]
  expect(again.map(({ id }) => id).sort()).toEqual([...ids].sort())
  for (const { phoneNumbers: all } of again) expect(all).toEqual(phoneNumbers)
  expect(ofPhone?.filter((id) => ofOther?.includes(id))).toEqual([])
})

test('a phone never has more than a hundred unconfirmed messages, and gets the most urgent first', async () => {
  const ids: string[] = []
  for (let count = 0; count < 103; count += 1) ids.push(await send({ priority: count < 3 ? 0 : 1 }))
  const first = (await phone.pull()).map(({ id }) => id)
  expect(new Set(first)).toEqual(new Set(ids.slice(3)))
  await phone.call(
    'PATCH',
    '/messages',
    first.slice(0, 98).map((id) => ({ id, state: 'Pending' })),
  )
  expect((await phone.pull()).map(({ id }) => id).sort()).toEqual([...first.slice(98), ...ids.slice(0, 3)].sort())
})

test('sorts by schedule, then priority, then newest or oldest first', async () => {
  const [low, older, newer] = [await send({ priority: -1 }), await send(), await send()]
  const order = async (name: string) =>
    (await phone.call('GET', `/messages?order=${name}`)).json.map(({ id }: { id: string }) => id)
  expect(await order('lifo')).toEqual([newer, older, low])
  expect(await order('fifo')).toEqual([older, newer, low])
  expect((await phone.call('GET', '/messages?order=random')).status).toBe(400)
})

test('a scheduled message is returned when it is due', async () => {
  await send({ scheduleAt: new Date(Date.now() + 3_600_000).toISOString() })
  expect(await phone.pull()).toEqual([])
  await relay.database.recipient.updateMany({ data: { dueAt: new Date(), notBefore: null } })
  expect(await phone.pull()).toHaveLength(1)
})

test('a cancel before the request for messages ends the message, and a later cancel waits for the phone', async () => {
  const [early, late, tooLate] = [await send(), await send(), await send()]
  expect((await relay.api('DELETE', `/messages/${early}`)).json).toMatchObject({ state: 'Cancelled' })
  await phone.pull()
  await phone.report(late, 'Pending')
  await phone.report(tooLate, 'Pending')
  for (const id of [late, tooLate])
    expect((await relay.api('DELETE', `/messages/${id}`)).json).toMatchObject({ state: 'Cancelling' })
  expect(new Set((await phone.pull()).map(({ id, state }) => `${id} ${state}`))).toEqual(
    new Set([`${late} Cancelling`, `${tooLate} Cancelling`]),
  )
  await phone.report(late, 'Cancelled')
  await phone.report(tooLate, 'Sent')
  expect(await stateOf(late)).toMatchObject({ state: 'Cancelled' })
  expect(await stateOf(tooLate)).toMatchObject({ state: 'Sent' })
  expect(await phone.pull()).toEqual([])
})

test('each number has its own state, and a failure has the reason of the phone', async () => {
  const id = await send({ phoneNumbers: ['+12025550123', '+12025550124'] })
  await phone.pull()
  const recipients = [
    { phoneNumber: '+12025550124', state: 'Failed', error: 'Generic failure' },
    { phoneNumber: '+12025550123', state: 'Sent', error: null },
  ]
  await phone.report(id, 'Sent', { recipients })
  expect((await stateOf(id)).recipients).toMatchObject([
    { phoneNumber: '+12025550123', state: 'Sent' },
    { phoneNumber: '+12025550124', state: 'Failed', error: 'Generic failure' },
  ])
  const { json } = await relay.api('GET', `/messages/${id}/timeline`)
  expect(json.entries).toContainEqual(
    expect.objectContaining({ kind: 'failed', code: 'phone_failed', text: 'Generic failure' }),
  )
})

test('a report about a number of a hashed message still counts', async () => {
  const id = await send()
  await phone.pull()
  await phone.report(id, 'Sent')
  await relay.database.recipient.updateMany({
    data: { phoneNumber: createHash('sha256').update('+12025550123').digest('hex').slice(0, 16) },
  })
  const recipients = [
    { phoneNumber: '+12025550999', state: 'Failed' },
    { phoneNumber: '+12025550123', state: 'Delivered' },
  ]
  await phone.report(id, 'Delivered', { recipients })
  expect(await stateOf(id)).toMatchObject({ state: 'Delivered' })
})

test('reports about unknown, foreign and undispatched messages change nothing', async () => {
  const other = await testPhone(relay)
  const waiting = await send({ deviceId: phone.id })
  const dispatched = await send({ deviceId: phone.id })
  const before = async () => [await stateOf(waiting), await stateOf(dispatched)]
  await phone.report(waiting, 'Sent')
  expect((await stateOf(waiting)).state).toBe('Pending')
  await phone.pull()
  const states = await before()
  expect(await other.report(dispatched, 'Sent')).toBe(204)
  expect(await phone.report('nothing', 'Sent')).toBe(204)
  expect(await phone.report(dispatched, 'Exploded')).toBe(204)
  const stranger = await testPhone(relay, await relay.addAccount())
  expect(await stranger.report(dispatched, 'Failed')).toBe(204)
  expect(await before()).toEqual(states)
  expect(await stranger.pull()).toEqual([])
})

test('a phone that was silent for too long has to cancel, and its late report corrects the state', async () => {
  const [unsent, sent] = [await send(), await send()]
  await phone.pull()
  await relay.database.device.updateMany({ data: { lastSeen: new Date(0), leaseUntil: null } })
  await relay.database.recipient.updateMany({ data: { dispatchedAt: new Date(0), dueAt: new Date(0) } })
  await loseSilentDevices(relay.database, { silenceMs: 1_000, afterExpiryMs: 1_000 }, new Date())
  for (const id of [unsent, sent]) expect((await stateOf(id)).recipients).toMatchObject([{ error: 'device_lost' }])
  expect(new Set((await phone.pull()).map(({ state }) => state))).toEqual(new Set(['Cancelling']))
  await phone.report(unsent, 'Cancelled')
  await phone.report(sent, 'Sent')
  expect(await phone.pull()).toEqual([])
  expect(await stateOf(unsent)).toMatchObject({ state: 'Failed' })
  expect(await stateOf(sent)).toMatchObject({ state: 'Sent' })
})

test('encrypted messages reach the phone as they are', async () => {
  const sealed = (salt: string) => `$aes-256-cbc/pbkdf2-sha1$i=1000$${salt.padEnd(22, 'A')}==$${'A'.repeat(22)}==`
  const [number, text] = [sealed('a'), sealed('b')]
  const id = await send({ isEncrypted: true, phoneNumbers: [number], textMessage: { text } })
  expect(await phone.pull()).toMatchObject([{ id, isEncrypted: true, phoneNumbers: [number], textMessage: { text } }])
  await phone.report(id, 'Sent', { recipients: [{ phoneNumber: '+12025550123', state: 'Sent' }] })
  expect(await stateOf(id)).toMatchObject({ state: 'Sent' })
})

test('a message for the public key of a phone goes to this phone, because no other phone can read it', async () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const sealed = (text: string) => {
    const [key, iv] = [randomBytes(32), randomBytes(12)]
    const cipher = createCipheriv('aes-256-gcm', key, iv)
    const ciphertext = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
    const wrapped = publicEncrypt({ key: pair.publicKey, oaepHash: 'sha256' }, key)
    return `$rsa-oaep-aes-256-gcm$v=1$k=7$${[wrapped, iv, ciphertext].map((part) => part.toString('base64')).join('$')}`
  }
  const opened = (text: string) => {
    const [wrapped, iv, ciphertext] = text
      .split('$')
      .slice(4)
      .map((part) => Buffer.from(part, 'base64')) as Parts
    const key = privateDecrypt({ key: pair.privateKey, oaepHash: 'sha256' }, wrapped)
    const decipher = createDecipheriv('aes-256-gcm', key, iv)
    decipher.setAuthTag(ciphertext.subarray(-16))
    return Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]).toString()
  }
  const body = {
    ...{ isEncrypted: true, deviceId: phone.id },
    ...{ phoneNumbers: [sealed('+12025550123')], textMessage: { text: sealed('hello') } },
  }
  const refused = await relay.api('POST', '/messages', { body })
  expect([refused.status, refused.json.message]).toEqual([400, expect.stringContaining('deviceId has no public key')])
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  await phone.call('PATCH', '/device', { id: phone.id, publicKey, keyVersion: 7 })
  const anywhere = await relay.api('POST', '/messages', { body: { ...body, deviceId: undefined } })
  expect([anywhere.status, anywhere.json.message]).toEqual([400, expect.stringContaining('deviceId is required')])
  const id = await send(body)
  const [pulled] = await phone.pull()
  expect([pulled?.id, opened(pulled?.phoneNumbers[0] ?? ''), opened(pulled?.textMessage?.text ?? '')]).toEqual([
    id,
    '+12025550123',
    'hello',
  ])
})

type Parts = [Buffer, Buffer, Buffer]
