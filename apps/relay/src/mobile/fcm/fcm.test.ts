import { randomBytes } from 'node:crypto'
import { openLog } from '@smsgw/daemon/log/log'
import { jwtVerify } from 'jose'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readRelayConfig } from '../../config.ts'
import { startRelay } from '../../relay.ts'
import { type TestRelay, testRelay } from '../../testing/test-relay.ts'
import { testPhone } from '../testing/test-phone.ts'
import { claimPushes } from './claim-pushes-statement.ts'
import { ACCEPTED, ACCESS_TOKEN, EMAIL, fcmError, type TestFcm, testFcm } from './testing/test-fcm.ts'

const PUSH_TOKEN = 'token-of-the-app:APA91b'
let fcm: TestFcm
let relay: TestRelay
beforeEach(async () => {
  fcm = await testFcm()
})
afterEach(async () => {
  await relay.close()
  await fcm.close()
})

async function start(settings: Readonly<Record<string, string>> = { FCM_CREDENTIALS_FILE: fcm.file }) {
  relay = await testRelay({
    settings: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', ...settings },
    push: { pollMs: 50, fcmOrigin: fcm.origin },
  })
}

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 90_000, interval: 50 })
const phoneWithToken = () => testPhone(relay, relay.account, { pushToken: PUSH_TOKEN })
const row = () => relay.database.phonePush.findFirstOrThrow()
/** Ends the pause after a failed attempt. */
const endPause = () => relay.database.phonePush.updateMany({ data: { nextAttemptAt: new Date(0) } })
/** Waits until an attempt after `sinceMs` has failed, and the next attempt is due this many seconds after it. */
const pausedFor = (seconds: number, sinceMs: number) =>
  eventually(async () => {
    const failedMs = (await row()).nextAttemptAt.getTime() - seconds * 1000
    expect(failedMs).toBeGreaterThanOrEqual(sinceMs)
    expect(failedMs).toBeLessThanOrEqual(Date.now())
  })
const pause = () => new Promise((resolve) => setTimeout(resolve, 500))

async function send(): Promise<string> {
  const body = { phoneNumbers: ['+12025550123'], textMessage: { text: 'the text of the message' } }
  const { status, json } = await relay.api('POST', '/messages', { body })
  expect(status).toBe(202)
  return json.id
}

test('a phone without an event stream gets one notice of a message, without text and number', async () => {
  await start()
  await phoneWithToken()
  await send()
  await eventually(() => expect(fcm.messages).toHaveLength(1))
  expect(fcm.messages).toEqual([
    {
      token: PUSH_TOKEN,
      data: { event: 'MessageEnqueued', data: 'null' },
      android: { priority: 'HIGH', ttl: '86400s', collapse_key: 'MessageEnqueued' },
    },
  ])
  const [request] = fcm.service.pushes.filter(({ path }) => path !== '/token')
  expect(request?.headers.authorization).toBe(`Bearer ${ACCESS_TOKEN}`)
  await pause()
  expect(fcm.messages).toHaveLength(1)
  await send()
  await eventually(() => expect(fcm.messages).toHaveLength(2))
  expect(JSON.stringify(await relay.database.phonePush.findMany())).not.toContain(PUSH_TOKEN)
})

test('the access token is requested with the key of the operator, once for many notices', async () => {
  await start()
  await phoneWithToken()
  await phoneWithToken()
  for (let sent = 1; sent <= 3; sent += 1) {
    await send()
    await eventually(() => expect(fcm.messages).toHaveLength(sent))
  }
  expect(fcm.tokenRequests).toHaveLength(1)
  const [form] = fcm.tokenRequests
  expect(form?.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
  const audience = `${fcm.origin}/token`
  const { payload, protectedHeader } = await jwtVerify(form?.get('assertion') ?? '', fcm.publicKey, { audience })
  expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' })
  expect(payload).toMatchObject({ iss: EMAIL, scope: 'https://www.googleapis.com/auth/firebase.messaging' })
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3_600)
})

test('cancels, new settings and inbox refreshes are announced as on the event stream', async () => {
  await start()
  const phone = await phoneWithToken()
  const id = await send()
  await eventually(() => expect(fcm.messages).toHaveLength(1))
  await phone.pull()
  await relay.api('DELETE', `/messages/${id}`)
  await eventually(() => expect(fcm.messages).toHaveLength(2))
  await relay.api('PATCH', '/settings', { body: { messages: { send_interval_min: 2, send_interval_max: 3 } } })
  await eventually(() => expect(fcm.messages).toHaveLength(3))
  const range = { since: '2026-03-01T00:00:00.000Z', until: '2026-03-02T00:00:00.000Z' }
  await relay.api('POST', '/inbox/refresh', { body: range })
  await eventually(() => expect(fcm.messages).toHaveLength(4))
  expect(fcm.messages.slice(1).map(({ data: { event, data } }) => [event, JSON.parse(data)])).toEqual([
    ['MessageCancelled', { messageId: id }],
    ['SettingsUpdated', null],
    ['MessagesExportRequested', { ...range, webhookDelivery: 'Disabled', triggerWebhooks: 'false' }],
  ])
  await pause()
  expect(fcm.messages).toHaveLength(4)
})

test('a cancel is left to a later claim if it is newer than the time of the claim', async () => {
  await start({})
  const phone = await phoneWithToken()
  const id = await send()
  await phone.pull()
  await relay.database.phonePush.updateMany({ data: { noticedUntil: new Date(), nextAttemptAt: new Date(0) } })
  const before = new Date()
  await new Promise((resolve) => setTimeout(resolve, 5))
  await relay.api('DELETE', `/messages/${id}`)
  expect(await claimPushes(relay.database, 10, before)).toEqual([])
  expect(await claimPushes(relay.database, 10, new Date())).toMatchObject([{ cancelling: [id] }])
})

test('a phone with an event stream gets no push messages', async () => {
  await start()
  const phone = await phoneWithToken()
  const abort = new AbortController()
  const headers = { authorization: `Bearer ${phone.token}` }
  const stream = await fetch(`${relay.url}/mobile/v1/events`, { headers, signal: abort.signal })
  expect(stream.status).toBe(200)
  await send()
  await pause()
  expect(fcm.service.pushes).toEqual([])
  abort.abort()
  await relay.database.phonePush.updateMany({ data: { streamsUntil: new Date(0) } })
  await eventually(() => expect(fcm.messages).toHaveLength(1))
})

test('without the key of an operator nothing is sent to Google', async () => {
  await start({})
  await phoneWithToken()
  await send()
  await pause()
  expect(fcm.service.pushes).toEqual([])
})

test('a second relay does not send the notice again', async () => {
  const settings = {
    SERVER_SECRET: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    FCM_CREDENTIALS_FILE: fcm.file,
  }
  await start(settings)
  const second = await startRelay({
    config: readRelayConfig({ ...settings, PORT: '0', CONSOLE_DIR: 'off', DATABASE_URL: relay.databaseUrl }),
    ...{ log: openLog('error', { write: () => undefined }), push: { pollMs: 50, fcmOrigin: fcm.origin } },
  })
  fcm.answerMs = 300
  await phoneWithToken()
  for (let sent = 1; sent <= 5; sent += 1) {
    await send()
    await eventually(() => expect(fcm.messages).toHaveLength(sent))
    await pause()
  }
  expect(fcm.messages).toHaveLength(5)
  await second.close()
})

test('a token that FCM calls unregistered is deleted, and a new token is used', async () => {
  await start()
  const phone = await phoneWithToken()
  fcm.answer = fcmError(404, 'UNREGISTERED')
  await send()
  await eventually(async () => expect(await relay.database.phonePush.count()).toBe(0))
  fcm.answer = ACCEPTED
  expect((await phone.call('PATCH', '/device', { id: phone.id, pushToken: 'new' })).status).toBe(204)
  await send()
  await eventually(() => expect(fcm.messages.map(({ token }) => token)).toEqual([PUSH_TOKEN, 'new']))
  expect((await phone.call('PATCH', '/device', { id: phone.id, pushToken: '' })).status).toBe(204)
  expect(await relay.database.phonePush.count()).toBe(0)
})

test('a failed notice is sent again after a pause, and the failure is logged once', async () => {
  await start()
  await phoneWithToken()
  fcm.answer = fcmError(503, 'UNAVAILABLE', { 'retry-after': '40' })
  const beganMs = Date.now()
  await send()
  await pausedFor(40, beganMs)
  expect((await row()).attempts).toBe(1)
  const againMs = Date.now()
  await endPause()
  await pausedFor(60, againMs)
  expect(fcm.messages).toHaveLength(2)
  fcm.answer = ACCEPTED
  await endPause()
  await eventually(async () => expect((await row()).attempts).toBe(0))
  expect(fcm.messages).toHaveLength(3)
  const lines = () => relay.logged.filter((line) => line.includes('FCM')).map((line) => JSON.parse(line))
  // The relay logs this after it has recorded the notice as sent.
  await eventually(() =>
    expect(lines()).toMatchObject([
      { reason: 'FCM answered 503 UNAVAILABLE' },
      { msg: 'FCM available again, sending notices' },
    ]),
  )
})

test('an access token that FCM refuses is replaced', async () => {
  await start()
  await phoneWithToken()
  fcm.answer = { status: 401 }
  const beganMs = Date.now()
  await send()
  await pausedFor(10, beganMs)
  expect(fcm.messages).toHaveLength(1)
  fcm.answer = ACCEPTED
  await endPause()
  await eventually(() => expect(fcm.messages).toHaveLength(2))
  expect(fcm.tokenRequests).toHaveLength(2)
})

test('a notice that FCM refuses is not sent again, and the reason is logged', async () => {
  await start()
  await phoneWithToken()
  fcm.answer = fcmError(403, 'SENDER_ID_MISMATCH')
  await send()
  const expected = { module: 'push', message: 'notice not sent with FCM: FCM answered 403 SENDER_ID_MISMATCH' }
  await eventually(async () =>
    expect((await relay.api('GET', '/logs')).json).toContainEqual(expect.objectContaining(expected)),
  )
  await endPause()
  await pause()
  expect(fcm.messages).toHaveLength(1)
  expect((await relay.api('GET', '/health')).status).toBe(200)
})

test('a key that Google refuses delays no message and does not appear in the log', async () => {
  await start()
  fcm.tokenAnswer = { status: 400, body: '{"error":"invalid_grant","error_description":"secret"}' }
  const phone = await phoneWithToken()
  const id = await send()
  await eventually(() => expect(relay.logged.join('')).toContain('Google answered 400 invalid_grant'))
  expect(await phone.pull()).toMatchObject([{ id }])
  expect(fcm.messages).toEqual([])
  expect(relay.logged.join('')).not.toMatch(/PRIVATE KEY|assertion|error_description|token-of-the-app/)
})

test('a deleted phone has no token', async () => {
  await start()
  const phone = await phoneWithToken()
  expect((await relay.api('DELETE', `/devices/${phone.id}`)).status).toBe(204)
  expect(await relay.database.phonePush.count()).toBe(0)
})
