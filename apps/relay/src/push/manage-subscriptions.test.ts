import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemRandom } from '../random.ts'
import { secretBox } from '../store/secret-box.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { readPushKeys } from './push-keys.ts'
import { type TestBrowser, testBrowser } from './testing/test-browser.ts'
import { type TestPushService, testPushService } from './testing/test-push-service.ts'
import { deleteEndedSubscriptions } from './valid-subscriptions-statement.ts'

let relay: TestRelay
let service: TestPushService
let browser: TestBrowser
beforeAll(async () => {
  service = await testPushService()
  relay = await testRelay({ isLocal: true, settings: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } })
  browser = await testBrowser()
})
afterAll(async () => {
  await relay.close()
  await service.close()
})
beforeEach(async () => {
  await relay.database.pushSubscription.deleteMany()
  service.answer = { status: 201 }
})

const register = (more: object = {}, call: object = {}) =>
  relay.api('POST', '/push/subscriptions', {
    body: { endpoint: `${service.origin}/browser`, keys: browser.keys, ...more },
    ...call,
  })

test('a browser has one subscription, which it can change', async () => {
  const first = await register({ name: 'Firefox on Linux' })
  expect(first.json).toMatchObject({
    name: 'Firefox on Linux',
    events: ['message.received', 'message.failed', 'device.offline'],
    showsText: false,
    language: 'en',
  })
  const again = await register({ events: ['device.offline', 'message.received'], showsText: true, language: 'ar' })
  expect(again.json).toMatchObject({
    id: first.json.id,
    events: ['message.received', 'device.offline'],
    showsText: true,
    language: 'ar',
  })
  expect((await relay.api('GET', '/push/subscriptions')).json).toEqual([again.json])
  expect((await relay.api('DELETE', `/push/subscriptions/${first.json.id}`)).status).toBe(204)
  expect((await relay.api('GET', '/push/subscriptions')).json).toEqual([])
})

test('a browser in which another user signs in does not notify the first user any more', async () => {
  await register()
  const other = await relay.addAccount()
  expect((await register({}, { auth: other.basic })).status).toBe(201)
  expect((await relay.api('GET', '/push/subscriptions')).json).toEqual([])
})

test.each([
  [{ endpoint: 'http://push.example/x' }, 'endpoint must begin with https://'],
  [
    { endpoint: 'https://10.0.0.1/x' },
    'endpoint is not public: only the operator can allow 10.0.0.1 (WEBHOOK_ALLOW_CIDRS)',
  ],
  [{ endpoint: 'https://user@push.example/x' }, 'endpoint must not contain credentials'],
  [{ keys: { p256dh: 'AAAA', auth: 'BTBZMqHH6r4Tts7J_aSIgg' } }, 'keys.p256dh must be 65 bytes in base64url'],
  [{ keys: { p256dh: 'A'.repeat(87), auth: 'BTBZMqHH6r4Tts7J_aSIgg' } }, 'is not a public key on the curve P-256'],
  [{ events: [] }, 'events must have at least 1 item'],
  [{ language: 'tlh' }, 'language must be one of en, de, es, ar'],
])('%j is refused', async (more, message) => {
  const { status, json } = await register(more)
  expect([status, json.message]).toEqual([400, expect.stringContaining(message)])
})

test('a key may subscribe only to events that it may read', async () => {
  const { json: key } = await relay.api('POST', '/keys', {
    body: { name: 'k', scopes: ['push:manage', 'devices:list'] },
  })
  const call = { auth: `Bearer ${key.key}` }
  expect(await register({}, call)).toMatchObject({ status: 403, json: { message: 'scope required: inbox:list' } })
  expect((await register({ events: ['device.offline'] }, call)).status).toBe(201)
})

test('an account has at most 50 subscriptions, also when they are registered at the same time', async () => {
  await register()
  const first = await relay.database.pushSubscription.findFirstOrThrow()
  await relay.database.pushSubscription.createMany({
    data: Array.from({ length: 46 }, (_, index) => ({ ...first, id: `s${index}`, endpointHash: `hash ${index}` })),
  })
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => register({ endpoint: `${service.origin}/${index}` })),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409, 409])
  expect(await relay.database.pushSubscription.count()).toBe(50)
})

test('a test shows whether the push service accepted the notification, or why not', async () => {
  const { json } = await register({ language: 'es' })
  const run = () => relay.api('POST', `/push/subscriptions/${json.id}/test`)
  expect((await run()).json).toEqual({ isAccepted: true })
  expect(JSON.parse(await browser.decrypt(service.pushes.at(-1)?.body ?? Buffer.of()))).toEqual({
    ...{ kind: 'test', language: 'es', count: 1, about: '' },
  })
  service.answer = { status: 403 }
  expect((await run()).json).toEqual({ isAccepted: false, error: 'the push service answered 403' })
  service.answer = { status: 410 }
  expect((await run()).json.isAccepted).toBe(false)
  expect((await run()).status).toBe(404)
})

test('a subscription whose password was changed is deleted, and the other subscriptions stay', async () => {
  const other = await relay.addAccount()
  await register()
  await register({ endpoint: `${service.origin}/other` }, { auth: other.basic })
  expect(await deleteEndedSubscriptions(relay.database)).toBe(0)
  await relay.database.account.update({ where: { id: other.id }, data: { credentialVersion: { increment: 1 } } })
  expect(await deleteEndedSubscriptions(relay.database)).toBe(1)
  expect(await relay.database.pushSubscription.findMany({ select: { accountId: true } })).toEqual([
    { accountId: relay.account.id },
  ])
})

test('relays that start together share one key, which is stored encrypted', async () => {
  await relay.database.installation.updateMany({ data: { pushPublicKey: null, pushPrivateSealed: null } })
  const box = secretBox('the secret of a server that only tests know', systemRandom)
  const keys = await Promise.all(Array.from({ length: 4 }, () => readPushKeys(relay.database, box)))
  expect(new Set(keys.map(({ publicKey }) => publicKey)).size).toBe(1)
  const { pushPrivateSealed } = await relay.database.installation.findUniqueOrThrow({ where: { id: 1 } })
  expect(pushPrivateSealed).not.toContain('PRIVATE KEY')
})
