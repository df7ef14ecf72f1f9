// Every call of the Go client, as the bridges and other Go programs make them.
import assert from 'node:assert/strict'
import { constants, createCipheriv, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'
import { eventually } from '../api-client.ts'
import type { OriginDevice } from './answer-shapes.ts'
import { isSignedWith } from './callback-server.ts'
import { goSeconds, goTime } from './go-request.ts'
import { OriginClient } from './origin-client.ts'
import {
  apiUrl,
  aroundNow,
  clientOf,
  expectDelivered,
  expectRefusal,
  newNumber,
  type OriginStep,
  type OriginWorld,
  textsTo,
} from './origin-world.ts'

const HOUR_MS = 3_600_000

export const clientSteps: readonly OriginStep[] = [
  { name: 'the Go client sends, follows, lists and cancels messages', place: 'anywhere', run: sendsMessages },
  { name: 'the Go client sends data, and uses the deprecated text field', place: 'anywhere', run: sendsOtherContent },
  { name: 'the Go client encrypts for the key of the device', place: 'anywhere', run: encrypts },
  { name: 'the Go client reads the inbox and refreshes it', place: 'anywhere', run: readsInbox },
  {
    name: 'the Go client manages webhooks, which are signed by the published rule',
    place: 'anywhere',
    run: useWebhooks,
  },
  { name: 'the Go client reads and changes settings', place: 'anywhere', run: changesSettings },
  { name: 'the Go client reads health, logs and devices', place: 'anywhere', run: readsStatus },
  { name: 'the Go client works with both base paths', place: 'anywhere', run: usesBothPaths },
  { name: 'the Go client gets, uses, refreshes and revokes tokens', place: 'relay', run: usesTokens },
]

async function sendsMessages(world: OriginWorld): Promise<void> {
  const client = clientOf(world)
  const [first, second, third] = [newNumber(), newNumber(), newNumber()]
  // Go writes `<`, `>` and `&` as escapes.
  const text = '1 < 2 & 3 > 2, ü €'
  const simple = await client.send({ phoneNumbers: [first], textMessage: { text } })
  assert.deepEqual(
    simple.recipients.map(({ phoneNumber }) => phoneNumber),
    [first],
  )
  assert.ok(simple.states['Pending'])
  await expectDelivered(world, simple.id, first, text)

  const id = 'order 7/4;ü'
  const all = { simNumber: 1, withDeliveryReport: false, priority: 100, ttl: 86_400 }
  const message = { id, phoneNumbers: [second], textMessage: { text: 'On its way' }, ...all }
  const options = { skipPhoneValidation: true, deviceActiveWithin: 12 }
  assert.equal((await client.send(message, options)).id, id)
  await expectRefusal(client.send(message), 409)
  await eventually(
    () => client.getState(id),
    ({ state }) => state === 'Sent',
  )
  assert.deepEqual(textsTo(world, second), ['On its way'])
  await expectRefusal(client.cancelMessage(id), 409)

  const scheduleAt = Date.now() + HOUR_MS
  const times = { scheduleAt: goTime(scheduleAt), validUntil: goTime(scheduleAt + HOUR_MS) }
  const waiting = await client.send({ phoneNumbers: [third], textMessage: { text: 'Later' }, ...times })
  await client.cancelMessage(waiting.id)
  assert.equal((await client.getState(waiting.id)).state, 'Cancelled')

  const range = { from: goSeconds(Date.now() - HOUR_MS), to: goSeconds(Date.now() + HOUR_MS) }
  const sorted = { ...range, includeContent: true, sort: 'created_at', limit: 100, offset: 0 }
  const { items, total } = await client.listMessages(sorted)
  const ours = items.filter((item) => [simple.id, id, waiting.id].includes(item.id))
  assert.deepEqual(
    ours.map((item) => [item.id, item.textMessage?.text]),
    [
      [simple.id, text],
      [id, 'On its way'],
      [waiting.id, 'Later'],
    ],
  )
  assert.ok(total >= items.length)
  const cancelled = await client.listMessages({ ...range, state: 'Cancelled', deviceId: waiting.deviceId, limit: 1 })
  assert.deepEqual([cancelled.items.length, cancelled.total >= 1], [1, true])

  await expectRefusal(client.send({ phoneNumbers: ['hello'], textMessage: { text } }), 400)
  await expectRefusal(client.getState('never-was'), 404)
  await expectRefusal(client.cancelMessage('never-was'), 404)
  const stranger = OriginClient.withPassword(apiUrl(world), { ...world.user, password: 'not the password' })
  await expectRefusal(stranger.listDevices(), 401)
}

async function sendsOtherContent(world: OriginWorld): Promise<void> {
  const client = clientOf(world)
  const [first, second] = [newNumber(), newNumber()]
  const old = await client.send({ phoneNumbers: [first], message: 'The older field' })
  await expectDelivered(world, old.id, first, 'The older field')
  const dataMessage = { data: Buffer.from('Hello World!').toString('base64'), port: 53_739 }
  const { id } = await client.send({ phoneNumbers: [second], dataMessage })
  const sent = await eventually(
    () => client.getState(id),
    ({ state }) => state === 'Delivered',
  )
  assert.deepEqual(sent.dataMessage, dataMessage)
}

/** The client reads the key with `GET /devices` and encrypts the text and each number with it. */
async function encrypts(world: OriginWorld): Promise<void> {
  const client = clientOf(world)
  const number = newNumber()
  const [device] = await client.listDevices()
  assert.ok(device?.publicKey !== undefined && device.keyVersion !== undefined, JSON.stringify(device))
  const hidden = encryptedFor(device, number)
  const message = { phoneNumbers: [hidden], textMessage: { text: encryptedFor(device, 'For your eyes only') } }
  const { id, recipients } = await client.send({ ...message, deviceId: device.id, isEncrypted: true })
  assert.equal(recipients[0]?.phoneNumber, hidden)
  await expectDelivered(world, id, number, 'For your eyes only')
}

/** Go's `rsa.EncryptOAEP` uses SHA-256 for the hash and for the mask. */
function encryptedFor({ publicKey = '', keyVersion }: OriginDevice, value: string): string {
  const [contentKey, iv] = [randomBytes(32), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', contentKey, iv)
  const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  const wrapped = publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, contentKey)
  const parts = [wrapped, iv, sealed].map((octets) => octets.toString('base64'))
  return `$rsa-oaep-aes-256-gcm$v=1$k=${keyVersion}$${parts.join('$')}`
}

async function readsInbox(world: OriginWorld): Promise<void> {
  const { emulator, callbacks } = world
  const client = clientOf(world)
  const from = newNumber()
  const path = `/inbox/${crypto.randomUUID()}`
  const made = { url: callbacks.url + path, deviceId: null }
  const ids = []
  for (const event of ['sms:received', 'sms:batch:received'])
    ids.push((await client.registerWebhook({ ...made, event })).id)
  await emulator.instruct('send-text', { from, to: 'modem0', text: 'Hi there' })
  const arrived = (count: number, event: string) =>
    eventually(
      () =>
        callbacks.callbacks.filter(
          (one) =>
            one.path === path && one.event === event && [from, undefined].includes(one.payload['sender'] as string),
        ),
      (all) => all.length >= count,
    )
  const [first] = await arrived(1, 'sms:received')
  assert.equal(first?.payload['message'], 'Hi there')

  const { sinceMs, untilMs } = aroundNow()
  const [device] = await client.listDevices()
  const deviceId = device?.id ?? ''
  const range = { from: goSeconds(sinceMs), to: goSeconds(untilMs) }
  const { items, total } = await client.listInboxMessages({ ...range, type: 'SMS', deviceId, limit: 50, offset: 0 })
  const found = items.find(({ sender }) => sender === from)
  assert.deepEqual([found?.contentPreview, found?.id, total >= 1], ['Hi there', first?.payload['messageId'], true])

  // Members that the gateway does not know are ignored.
  await client.refreshInbox({ sinceMs, untilMs }, { deviceId, messageTypes: ['SMS'], triggerWebhooks: true, later: {} })
  const [, second] = await arrived(2, 'sms:received')
  await client.exportInbox(deviceId, { sinceMs, untilMs })
  const [, , third] = await arrived(3, 'sms:received')
  assert.deepEqual([second?.id, third?.id], [first?.id, first?.id])
  await client.refreshInbox({ sinceMs, untilMs }, { webhookDelivery: 'Batch' })
  const [batch] = await arrived(1, 'sms:batch:received')
  const messages = batch?.payload['messages'] as { readonly message: string }[]
  assert.ok(messages.some(({ message }) => message === 'Hi there'))
  await client.refreshInbox({ sinceMs, untilMs }, { webhookDelivery: 'Disabled' })
  for (const id of ids) await client.deleteWebhook(id)
}

async function useWebhooks(world: OriginWorld): Promise<void> {
  const { callbacks } = world
  const client = clientOf(world)
  const path = `/webhooks/${crypto.randomUUID()}`
  const url = callbacks.url + path
  const signingKey = 'a key that the receiver knows'
  await client.updateSettings({ webhooks: { signing_key: signingKey } })
  const [device] = await client.listDevices()
  const made = await client.registerWebhook({ id: 'go hook/1', url, event: 'sms:sent', deviceId: device?.id ?? '' })
  assert.deepEqual([made.id, made.url, made.deviceId], ['go hook/1', url, device?.id])
  for (const event of ['sms:delivered', 'sms:cancelled']) await client.registerWebhook({ url, event })
  const listed = (await client.listWebhooks()).filter((one) => one.url === url)
  assert.deepEqual(listed.map(({ event }) => event).sort(), ['sms:cancelled', 'sms:delivered', 'sms:sent'])

  const { id } = await client.send({ phoneNumbers: [newNumber()], textMessage: { text: 'Hello' } })
  const times = { scheduleAt: goTime(Date.now() + HOUR_MS) }
  const later = await client.send({ phoneNumbers: [newNumber()], textMessage: { text: 'Never' }, ...times })
  await client.cancelMessage(later.id)
  const about = (event: string, messageId: string) =>
    eventually(
      () => callbacks.callbacks.find((one) => one.event === event && one.payload['messageId'] === messageId),
      (found) => found !== undefined,
    )
  for (const [event, messageId] of [
    ['sms:sent', id],
    ['sms:delivered', id],
    ['sms:cancelled', later.id],
  ] as const) {
    const callback = await about(event, messageId)
    assert.ok(callback && isSignedWith(signingKey, callback), event)
  }
  for (const one of listed) await client.deleteWebhook(one.id)
  await client.deleteWebhook('never-was')
  assert.deepEqual(
    (await client.listWebhooks()).filter((one) => one.url === url),
    [],
  )
  await expectRefusal(client.registerWebhook({ url, event: 'sms:unknown' }), 400)
}

async function changesSettings(world: OriginWorld): Promise<void> {
  const client = clientOf(world)
  const before = await client.getSettings()
  const messages = { limit_period: 'PerHour', limit_value: 1000, log_lifetime_days: 14, processing_order: 'FIFO' }
  // A Go struct without `omitempty` sends an empty object.
  const replaced = await client.replaceSettings({ messages, gateway: { notification_channel: 'SSE_ONLY' }, logs: {} })
  assert.equal(replaced['messages']?.['limit_value'], 1000)
  const receiver = { content_provider_enabled: true }
  const changed = await client.updateSettings({
    messages: { limit_value: 2000 },
    ping: { interval_seconds: 600 },
    receiver,
  })
  const { messages: merged, ping } = changed
  assert.deepEqual([merged?.['limit_period'], merged?.['limit_value']], ['PerHour', 2000])
  assert.equal(ping?.['interval_seconds'], 600)
  assert.deepEqual(await client.getSettings(), changed)
  await expectRefusal(client.updateSettings({ messages: { limit_value: 0 } }), 400)
  await client.replaceSettings(before)
}

async function readsStatus(world: OriginWorld): Promise<void> {
  const client = clientOf(world)
  const { status, version } = await client.checkHealth()
  assert.ok(['pass', 'warn'].includes(status) && version !== '', status)
  const devices = await client.listDevices()
  assert.ok(devices.length >= 1 && devices.every(({ lastSeen }) => Date.parse(lastSeen) <= Date.now() + 60_000))
  await expectRefusal(client.deleteDevice('never-was-a-device-000'), 404)
  const logs = await eventually(
    () => client.getLogs(aroundNow()),
    (found) => found.length > 0,
  )
  assert.ok(logs.every(({ priority }) => ['DEBUG', 'INFO', 'WARN', 'ERROR'].includes(priority)))
}

/** The app and its private server put `/api` before the path. A base that ends with `/` results in two slashes. */
async function usesBothPaths(world: OriginWorld): Promise<void> {
  for (const base of ['/3rdparty/v1', '/api/3rdparty/v1', '/3rdparty/v1/']) {
    const client = OriginClient.withPassword(world.url + base, world.user)
    const number = newNumber()
    const { id } = await client.send({ phoneNumbers: [number], textMessage: { text: base } })
    assert.equal((await client.getState(id)).id, id)
    await client.checkHealth()
  }
}

async function usesTokens(world: OriginWorld): Promise<void> {
  const owner = clientOf(world)
  const scopes = ['messages:send', 'messages:read']
  const made = await owner.generateToken(scopes, 600)
  assert.equal(made.token_type, 'Bearer')
  const lifeMs = Date.parse(made.expires_at) - Date.now()
  assert.ok(lifeMs > 0 && lifeMs <= 600_000, made.expires_at)
  const client = OriginClient.withToken(apiUrl(world), made.access_token)
  const { id } = await client.send({ phoneNumbers: [newNumber()], textMessage: { text: 'With a token' } })
  assert.equal((await client.getState(id)).id, id)
  await expectRefusal(client.listDevices(), 403)
  await expectRefusal(OriginClient.withToken(apiUrl(world), made.refresh_token).getState(id), 401)

  const refreshed = await client.refreshToken(made.refresh_token)
  const renewed = OriginClient.withToken(apiUrl(world), refreshed.access_token)
  assert.equal((await renewed.getState(id)).id, id)
  // A second use means that the refresh token was copied, so all tokens that come from it are revoked.
  await expectRefusal(client.refreshToken(made.refresh_token), 401)
  await expectRefusal(renewed.getState(id), 401)

  const other = await owner.generateToken(['devices:list'])
  const viewer = OriginClient.withToken(apiUrl(world), other.access_token)
  assert.ok((await viewer.listDevices()).length >= 1)
  await owner.revokeToken(other.id)
  await owner.revokeToken(other.id)
  await expectRefusal(viewer.listDevices(), 401)
  await expectRefusal(viewer.refreshToken(other.refresh_token), 401)
}
