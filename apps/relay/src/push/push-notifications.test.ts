import { createPublicKey, randomUUID, verify } from 'node:crypto'
import type { PushContent } from '@smsgw/contract/live/push-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { storeReceived } from '../inbox/store-received.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { notifyOffline } from './notify-offline-statement.ts'
import { type TestBrowser, testBrowser } from './testing/test-browser.ts'
import { type TestPushService, testPushService } from './testing/test-push-service.ts'

const DEVICE = 'Xk2Zt7vQ9sLrB4mNdP1aW'
let relay: TestRelay
let service: TestPushService
let browser: TestBrowser
beforeEach(async () => {
  service = await testPushService()
  relay = await testRelay({
    settings: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', PUSH_CONTACT: 'mailto:sms@example.org', ALLOW_INSECURE_HTTP: '1' },
    push: { pollMs: 50 },
  })
  browser = await testBrowser()
})
afterEach(async () => {
  await relay.close()
  await service.close()
})

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 90_000, interval: 50 })

async function subscribe(more: object = {}, call: object = {}) {
  const body = { endpoint: `${service.origin}/browser`, keys: browser.keys, language: 'de', ...more }
  const { status, json } = await relay.api('POST', '/push/subscriptions', { body, ...call })
  expect([status, json]).toEqual([201, expect.anything()])
  return json as { readonly id: string }
}

function receive(sender: string, text: string, id: string = randomUUID()): Promise<number> {
  const received = { kind: 'received', type: 'SMS', id, sender, simNumber: 1, text, parts: 1 } as const
  const device = { id: DEVICE, accountId: relay.account.id }
  return relay.database.$transaction((statements) =>
    storeReceived(statements, device, { ...received, receivedAt: new Date().toISOString() }, new Date()),
  )
}

/** Returns the decrypted contents of the notifications so far. */
const contents = async (): Promise<PushContent[]> =>
  Promise.all(service.pushes.map(async ({ body }) => JSON.parse(await browser.decrypt(body))))
const queued = () => relay.database.pushNotification.count()

test('a received message notifies the browser of its sender, without its text', async () => {
  await subscribe()
  await receive('+447700900123', 'Are you coming?')
  await eventually(() => expect(service.pushes).toHaveLength(1))
  expect(await contents()).toEqual([{ kind: 'message.received', language: 'de', count: 1, about: '+447700900123' }])
  const [push] = service.pushes
  expect(push?.path).toBe('/browser')
  expect(push?.headers).toMatchObject({
    'content-encoding': 'aes128gcm',
    ttl: '86400',
    urgency: 'high',
    topic: expect.stringMatching(/^[\w-]{32}$/),
  })
  await eventually(async () => expect(await queued()).toBe(0))
  const subscriptions = async () => (await relay.api('GET', '/push/subscriptions')).json
  const sent = { service: service.origin.slice('https://'.length), lastSentAt: expect.any(String) }
  await eventually(async () => expect(await subscriptions()).toMatchObject([sent]))
  expect(JSON.stringify(await subscriptions())).not.toContain(browser.keys.auth)
})

test('the push service can verify who sent the notification', async () => {
  await subscribe()
  const { publicKey } = (await relay.api('GET', '/push/key')).json as { publicKey: string }
  await receive('+447700900123', 'hello')
  await eventually(() => expect(service.pushes).toHaveLength(1))
  const [, token = '', key = ''] =
    /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(service.pushes[0]?.headers.authorization ?? '') ?? []
  expect(key).toBe(publicKey)
  const point = Buffer.from(key, 'base64url')
  const [x = '', y = ''] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const jwk = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const [head = '', claims = '', signature = ''] = token.split('.')
  const signed = Buffer.from(`${head}.${claims}`)
  const checked = { key: jwk, dsaEncoding: 'ieee-p1363' } as const
  expect(verify('sha256', signed, checked, Buffer.from(signature, 'base64url'))).toBe(true)
  const { aud, sub, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  expect([aud, sub]).toEqual([service.origin, 'mailto:sms@example.org'])
  expect(exp * 1000 - Date.now()).toBeLessThanOrEqual(86_400_000)
})

test('the first line is shown if the user chose this, but a code is never shown', async () => {
  await subscribe({ showsText: true })
  await receive('Bank', 'Your code is 482913')
  await receive('+447700900123', 'Are you coming?\nWe start at 10')
  await eventually(() => expect(service.pushes).toHaveLength(2))
  const sent = (await contents()).sort((one, other) => one.about.localeCompare(other.about))
  expect(sent.map(({ about, text }) => [about, text])).toEqual([
    ['+447700900123', 'Are you coming?'],
    ['Bank', undefined],
  ])
  expect(await relay.database.pushNotification.findMany({ where: { text: { contains: '482913' } } })).toEqual([])
})

test('no notification is sent for a message from a blocked number, or for a message that is stored again', async () => {
  await subscribe()
  await relay.api('PATCH', '/conversations/+447700900666', { body: { blocked: true } })
  await receive('+447700900666', 'spam')
  await receive('+447700900123', 'hello', 'once')
  await receive('+447700900123', 'hello', 'once')
  await eventually(async () => expect(await queued()).toBe(0))
  expect(await contents()).toMatchObject([{ about: '+447700900123', count: 1 }])
})

test('messages that fail together are one notification', async () => {
  await subscribe({ events: ['message.failed'] })
  await relay.database.device.create({ data: { id: DEVICE, accountId: relay.account.id, name: 'box' } })
  for (const id of ['m1', 'm2', 'm3']) {
    const body = { id, phoneNumbers: ['+447400123456'], textMessage: { text: 'hello' }, ttl: 3600 }
    expect((await relay.api('POST', '/messages', { body })).status).toBe(202)
  }
  await receive('+447700900123', 'not subscribed to')
  await relay.database.recipient.updateMany({ data: { validUntil: new Date(Date.now() - 1000) } })
  await eventually(() => expect(service.pushes).toHaveLength(1))
  expect(await contents()).toEqual([
    { kind: 'message.failed', language: 'de', count: 3, about: '+447400123456', id: expect.stringMatching(/^m\d$/) },
  ])
  expect(service.pushes[0]?.headers['urgency']).toBe('normal')
})

test('a device that is offline for some minutes causes one notification', async () => {
  await subscribe()
  const lastSeen = new Date(Date.now() - 240_000)
  const data = { accountId: relay.account.id, lastSeen, connEpoch: 3 }
  await relay.database.device.create({ data: { ...data, id: DEVICE, name: 'attic' } })
  await relay.database.device.create({ data: { ...data, id: 'online', name: 'cellar', lastSeen: new Date() } })
  expect(await notifyOffline(relay.database, new Date())).toBe(1)
  expect(await notifyOffline(relay.database, new Date())).toBe(0)
  await eventually(async () => expect(await contents()).toMatchObject([{ kind: 'device.offline', about: 'attic' }]))
  await relay.database.device.update({ where: { id: DEVICE }, data: { connEpoch: 4 } })
  expect(await notifyOffline(relay.database, new Date())).toBe(1)
})

test.each([404, 410])('a subscription that the push service answers with %i is removed', async (status) => {
  await subscribe()
  service.answer = { status }
  await receive('+447700900123', 'hello')
  await eventually(async () => expect((await relay.api('GET', '/push/subscriptions')).json).toEqual([]))
  await eventually(async () => expect(await queued()).toBe(0))
})

test('a notification is sent again after the pause that the push service requested', async () => {
  await subscribe()
  service.answer = { status: 429, headers: { 'retry-after': '1' } }
  await receive('+447700900123', 'hello')
  await eventually(() => expect(service.pushes).toHaveLength(1))
  service.answer = { status: 201 }
  await eventually(() => expect(service.pushes).toHaveLength(2))
  await eventually(async () => expect(await queued()).toBe(0))
})

test('a notification that the push service refuses is not sent again, and the reason is logged', async () => {
  await subscribe()
  service.answer = { status: 403 }
  await receive('+447700900123', 'hello')
  await eventually(async () => expect(await queued()).toBe(0))
  await eventually(async () =>
    expect((await relay.api('GET', '/logs')).json).toMatchObject([
      { module: 'push', message: 'browser notification not sent: the push service answered 403' },
    ]),
  )
})

test('no notification is sent about an event from an hour ago', async () => {
  const { id: subscriptionId } = await subscribe()
  const createdAt = new Date(Date.now() - 3_700_000)
  const data = {
    accountId: relay.account.id,
    subscriptionId,
    kind: 'message.received',
    topic: 't',
    about: 'x',
    createdAt,
  }
  await relay.database.pushNotification.create({ data })
  await eventually(async () => expect(await queued()).toBe(0))
  expect(service.pushes).toEqual([])
})

test('a push service that does not answer delays neither messages nor the stop of the relay', async () => {
  await subscribe()
  service.answer = undefined
  await receive('+447700900123', 'hello')
  await eventually(() => expect(service.pushes).toHaveLength(1))
  for (let index = 0; index < 20; index += 1) await receive(`+4477009001${index}`, 'hello')
  expect(await relay.database.inboxItem.count()).toBe(21)
  // The aborted notifications are not lost, because another relay sends them again.
  expect(await queued()).toBe(21)
})

test('a rotation ends the subscriptions of the previous key and of its tokens', async () => {
  const { json: key } = await relay.api('POST', '/keys', { body: { name: 'k', scopes: ['all:any', 'tokens:manage'] } })
  const body = { scopes: ['inbox:list', 'push:manage'] }
  const { json: token } = await relay.api('POST', '/auth/token', { auth: `Bearer ${key.key}`, body })
  const endpoint = (name: string) => ({ endpoint: `${service.origin}/${name}`, events: ['message.received'] })
  await subscribe(endpoint('key'), { auth: `Bearer ${key.key}` })
  await subscribe(endpoint('token'), { auth: `Bearer ${token.access_token}` })
  const { json: rotated } = await relay.api('POST', `/keys/${key.id}/rotate`, { body: { overlapSeconds: 0 } })
  await subscribe(endpoint('rotated'), { auth: `Bearer ${rotated.key}` })
  await receive('+447700900123', 'hello')
  await eventually(async () => expect(await queued()).toBe(0))
  expect(service.pushes.map(({ path }) => path)).toEqual(['/rotated'])
})

test('signing out, a password change, and revoking a key or a token end a subscription', async () => {
  const { username, password } = relay.account
  const signIn = await relay.api('POST', '/session', { body: { username, password } })
  const cookie = (signIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const asPage = { auth: '', headers: { cookie, origin: relay.url } }
  const { json: key } = await relay.api('POST', '/keys', { body: { name: 'k', scopes: ['all:any'] } })
  const { json: token } = await relay.api('POST', '/auth/token', { body: { scopes: ['all:any'] } })
  const endpoint = (name: string) => ({ endpoint: `${service.origin}/${name}` })
  await subscribe(endpoint('session'), asPage)
  await subscribe(endpoint('key'), { auth: `Bearer ${key.key}` })
  await subscribe(endpoint('token'), { auth: `Bearer ${token.access_token}` })
  await subscribe(endpoint('password'))
  await receive('+447700900123', 'hello')
  const paths = () => service.pushes.map(({ path }) => path).sort()
  await eventually(() => expect(paths()).toEqual(['/key', '/password', '/session', '/token']))

  expect((await relay.api('DELETE', '/session', asPage)).status).toBe(204)
  expect((await relay.api('DELETE', `/keys/${key.id}`)).status).toBe(204)
  expect((await relay.api('DELETE', `/auth/token/${token.id}`)).status).toBe(204)
  await receive('+447700900124', 'hello')
  await eventually(() => expect(paths()).toEqual(['/key', '/password', '/password', '/session', '/token']))

  await relay.database.account.update({
    where: { id: relay.account.id },
    data: { credentialVersion: { increment: 1 } },
  })
  await receive('+447700900125', 'hello')
  await eventually(async () => expect(await queued()).toBe(0))
  expect(service.pushes).toHaveLength(5)
})
