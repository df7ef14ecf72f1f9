// Webhooks in Twilio's format: signature, StatusCallback, and replies to received messages.
import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { receivedEventOf } from '../../inbox/stored-item.ts'
import { advanceMessages } from '../../messages/progress/advance-messages.ts'
import type { RecipientInput } from '../../messages/progress/message-state.ts'
import { enqueueEvents } from '../../webhooks/outbox/enqueue-events.ts'
import {
  answerWith,
  type TestReceiver,
  type TestReceiverOptions,
  testReceivers,
} from '../../webhooks/testing/test-receiver.ts'
import { accountSid, idOfSid, messageSid } from './sid.ts'
import { codeOf, FROM, ONE, TO, TwilioRelay } from './testing/twilio-relay.ts'

let twilio: TwilioRelay
const receivers = testReceivers()
beforeAll(async () => {
  twilio = await TwilioRelay.start({ WEBHOOK_ALLOW_HTTP: '1', WEBHOOK_ALLOW_CIDRS: '127.0.0.1' })
})
afterEach(() => receivers.close())
afterAll(() => twilio.relay.close())

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 90_000, interval: 20 })
const TOKEN = 'the auth token of an application'
const xml = (body: string) => answerWith(200, { 'content-type': 'text/xml' }, `<Response>${body}</Response>`)
const formOf = ({ requests }: TestReceiver, index = 0) => Object.fromEntries(new URLSearchParams(requests[index]?.body))

/** Signs as described in Twilio's documentation. */
function signatureOf(url: string, form: Readonly<Record<string, string>>): string {
  const names = Object.keys(form).sort()
  return createHmac('sha1', TOKEN)
    .update(url + names.map((name) => name + form[name]).join(''))
    .digest('base64')
}

async function newAccount(): Promise<void> {
  await twilio.newAccount()
  const body = { webhooks: { signing_key: TOKEN } }
  expect((await twilio.relay.api('PATCH', '/settings', { auth: twilio.account.basic, body })).status).toBe(200)
}

async function register(events: readonly string[], answer?: TestReceiverOptions['answer'], path = 'sms?a=b%20c') {
  const receiver = await receivers.start(answer)
  const body = { id: 'app', url: receiver.url + path, events, format: 'twilio' }
  const { status, json } = await twilio.relay.api('POST', '/webhooks', { auth: twilio.account.basic, body })
  expect([status, json.format]).toEqual([201, 'twilio'])
  return receiver
}

let received = 0

/** Stores a received message with its event. */
async function receive(text: string, sender = TO): Promise<string> {
  received += 1
  const id = `received-message-number-${received}`.padEnd(27, '_')
  const accountId = twilio.account.id
  await twilio.receive(id, text, sender)
  const item = await twilio.database.inboxItem.findUniqueOrThrow({ where: { accountId_id: { accountId, id } } })
  await twilio.database.$transaction((statements) =>
    enqueueEvents(statements, accountId, [receivedEventOf(item) as never]),
  )
  return id
}

async function advance(sid: string, ...inputs: readonly Omit<RecipientInput, 'at'>[]): Promise<void> {
  const cmdId = idOfSid(sid, 'SM') ?? ''
  for (const input of inputs)
    await twilio.database.$transaction((statements) => {
      const update = { accountId: twilio.account.id, cmdId, input: { ...input, at: new Date() } as RecipientInput }
      return advanceMessages(statements, [{ ...update, sender: FROM, simNumber: 1 }], new Date())
    })
}

const api = (method: string, path: string, body?: object) =>
  twilio.relay.api(method, path, { auth: twilio.account.basic, ...(body && { body }) })
const replies = () =>
  twilio.database.message.findMany({
    where: { accountId: twilio.account.id },
    orderBy: { key: 'asc' },
    include: { recipients: true },
  })
const deliveries = async (id = 'app') => (await api('GET', `/webhooks/${id}/deliveries`)).json
const warnings = async () =>
  (await api('GET', '/logs')).json.filter(({ priority }: { priority: string }) => priority === 'WARN')

test('a received message arrives as from Twilio, with a signature that covers URL and form', async () => {
  await newAccount()
  const receiver = await register(['sms:received'])
  const id = await receive('Is it ready? ü & = 🙂')
  await eventually(() => expect(receiver.requests).toHaveLength(1))
  const form = formOf(receiver)
  expect(form).toEqual({
    AccountSid: accountSid(twilio.account.id),
    ApiVersion: '2010-04-01',
    Body: 'Is it ready? ü & = 🙂',
    From: TO,
    MessageSid: messageSid(id),
    NumMedia: '0',
    NumSegments: '1',
    SmsMessageSid: messageSid(id),
    SmsSid: messageSid(id),
    SmsStatus: 'received',
    To: FROM,
  })
  const [request] = receiver.requests
  expect(request?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/)
  expect(request?.headers['x-twilio-signature']).toBe(signatureOf(`${receiver.url}sms?a=b%20c`, form))
  await eventually(async () => expect((await deliveries())[0].state).toBe('delivered'))
  const [{ id: delivery }] = await deliveries()
  expect(request?.headers['i-twilio-idempotency-token']).toBe(delivery)
  const { request: shown } = (await api('GET', `/webhooks/deliveries/${delivery}`)).json
  expect(shown).toMatchObject({ url: `${receiver.url}sms?a=b%20c`, body: request?.body })
  expect(request?.headers).toMatchObject(shown.headers)
  expect(shown.headersOfAttempt).toEqual(['x-twilio-signature'])
})

test('the answer is sent to the sender from the SIM that received the message', async () => {
  await newAccount()
  await register(
    ['sms:received'],
    xml('<Message>Yes, it is</Message><Message><Body>Come &amp; get it</Body></Message>'),
  )
  await receive('Is it ready?')
  await eventually(async () => expect(await replies()).toHaveLength(2))
  expect(await replies()).toMatchObject([
    { text: 'Yes, it is', deviceId: ONE, simNumber: 1, sentBy: 'webhook', recipients: [{ phoneNumber: TO }] },
    { text: 'Come & get it', recipients: [{ phoneNumber: TO }] },
  ])
  const { json } = await twilio.call('GET', `${twilio.messages}.json`)
  expect(json.messages.map(({ direction }: { direction: string }) => direction)).toEqual([
    'outbound-reply',
    'outbound-reply',
    'inbound',
  ])
})

test('a message is replied to once, although its event is delivered again and answered differently', async () => {
  await newAccount()
  const receiver = await register(['sms:received'], (response, _, number) =>
    xml(`<Message>Reply ${number}</Message>`)(response),
  )
  await receive('hello')
  await eventually(async () => expect((await deliveries())[0]?.state).toBe('delivered'))
  const [{ id }] = await deliveries()
  expect((await api('POST', `/webhooks/deliveries/${id}/redeliver`)).status).toBe(202)
  await eventually(() => expect(receiver.requests).toHaveLength(2))
  await eventually(async () => expect((await deliveries())[0].attempts).toHaveLength(2))
  expect((await replies()).map(({ text }) => text)).toEqual(['Reply 1'])
  expect(await warnings()).toEqual([])
})

test('an answer that is cut off or too large sends no reply, and is requested again', async () => {
  await newAccount()
  const receiver = await register(['sms:received'], (response, _, number) => {
    if (number === 1) {
      response.writeHead(200, { 'content-type': 'text/xml', 'content-length': '500' })
      response.write('<Response><Message>Half')
      setTimeout(() => response.destroy(), 50)
    } else if (number === 2) answerWith(200, { 'content-type': 'text/plain' }, 'x'.repeat(70_000))(response)
    else xml('<Message>Whole</Message>')(response)
  })
  await receive('hello')
  for (const attempts of [1, 2]) {
    await eventually(async () => expect((await deliveries())[0]?.attempts).toHaveLength(attempts))
    expect((await deliveries())[0].attempts[attempts - 1].error).toContain('the answer was cut off')
    expect(await replies()).toEqual([])
    await twilio.database.webhookDelivery.updateMany({ data: { nextAttemptAt: new Date(0) } })
    await twilio.database.webhook.updateMany({ data: { pausedUntil: null, pauses: 0 } })
  }
  await eventually(async () => expect((await replies()).map(({ text }) => text)).toEqual(['Whole']))
  expect(receiver.requests).toHaveLength(3)
})

test.each([
  ['without a country code', '1069012345678901'],
  ['that numbering plans do not contain', '+19995550123'],
])('the answer goes to a sender %s, as the network reported it', async (_, sender) => {
  await newAccount()
  await register(['sms:received'], xml('<Message>TD</Message>'))
  await receive('Reply TD to unsubscribe', sender)
  await eventually(async () => expect(await replies()).toMatchObject([{ recipients: [{ phoneNumber: sender }] }]))
})

test('a redirect, another number and a text to an alphanumeric sender are logged and not followed', async () => {
  await newAccount()
  await register(
    ['sms:received'],
    xml('<Message to="+15005550006">x</Message><Redirect>http://169.254.169.254/</Redirect>'),
  )
  await receive('hello')
  await eventually(async () => expect(await warnings()).toHaveLength(2))
  await register(['sms:received'], xml('<Message>Hello bank</Message>'))
  await receive('Your balance', 'MyBank')
  await eventually(async () => expect(await warnings()).toHaveLength(3))
  expect((await warnings()).map(({ message }: { message: string }) => message).sort()).toEqual([
    'answer to a received message: <Redirect> in the answer is not supported and was ignored',
    'answer to a received message: a message in the answer is for another number and was not sent',
    expect.stringMatching(/^reply to a received message not sent: .*not a valid phone number/),
  ])
  expect(await replies()).toEqual([])
})

test('a number gets ten replies per hour, and the delivery log shows why it gets no more', async () => {
  await newAccount()
  await register(['sms:received'], xml('<Message>I am away</Message>'))
  const deliver = async (texts: readonly string[], sender?: string) => {
    const before = (await deliveries()).length
    for (const text of texts) await receive(text, sender)
    await eventually(async () => {
      const states = (await deliveries()).map(({ state }: { state: string }) => state)
      expect(states).toEqual(Array(before + texts.length).fill('delivered'))
    })
  }
  await deliver(Array.from({ length: 12 }, (_, index) => `So am I ${index}`))
  expect(await replies()).toHaveLength(10)
  const problem =
    'reply to a received message not sent: 10 replies were sent to this number within an hour, which is the limit'
  const attempts: { status: number; error?: string; errorCode?: string }[] = (await deliveries()).flatMap(
    ({ attempts: ofDelivery }: { attempts: object[] }) => ofDelivery,
  )
  const refused = attempts.filter(({ error }) => error !== undefined)
  expect(refused.map(({ status, error, errorCode }) => [status, error, errorCode])).toEqual(
    Array(2).fill([200, problem, 'reply_limit']),
  )
  await eventually(async () =>
    expect((await warnings()).map(({ message }: { message: string }) => message)).toEqual([problem, problem]),
  )
  await deliver(['Hello'], '+447400123457')
  expect(await replies()).toHaveLength(11)
  const hourAgo = new Date(Date.now() - 3_600_000)
  await twilio.database.message.updateMany({ data: { createdAt: hourAgo } })
  await deliver(['Still away?'])
  expect(await replies()).toHaveLength(12)
})

test('a test of the webhook sends no reply', async () => {
  await newAccount()
  const receiver = await register(['sms:received'], xml('<Message>Hello</Message>'))
  expect((await api('POST', '/webhooks/app/test')).status).toBe(202)
  await eventually(async () => expect((await deliveries())[0]?.state).toBe('delivered'))
  expect(receiver.requests).toHaveLength(1)
  expect(await replies()).toEqual([])
})

test('StatusCallback receives the states of its message only, at its own URL, with the error code', async () => {
  await newAccount()
  const receiver = await receivers.start()
  const urls = ['status?order=1', 'status?order=2'].map((path) => receiver.url + path)
  const [first, second, plain] = await Promise.all([
    twilio.create({ StatusCallback: urls[0] ?? '' }),
    twilio.create({ StatusCallback: `${urls[1]}#rc=3` }),
    twilio.create(),
  ])
  await advance(first.json.sid, { kind: 'sent' } as never, { kind: 'delivered' } as never)
  await advance(plain.json.sid, { kind: 'sent' } as never)
  await advance(
    second.json.sid,
    { kind: 'sent' } as never,
    { kind: 'failed', code: 'report_failed', reason: 'no answer' } as never,
  )
  const other = await receivers.start()
  const elsewhere = await twilio.create({ StatusCallback: other.url })
  await advance(elsewhere.json.sid, { kind: 'sent' } as never)
  await eventually(() => expect([receiver.requests.length, other.requests.length]).toEqual([4, 1]))
  const seen = receiver.requests.map(({ url, body, headers }) => {
    const form = Object.fromEntries(new URLSearchParams(body))
    expect(headers['x-twilio-signature']).toBe(signatureOf(receiver.url.slice(0, -1) + url, form))
    expect(form).toMatchObject({
      AccountSid: accountSid(twilio.account.id),
      From: FROM,
      To: TO,
      SmsStatus: form['MessageStatus'],
    })
    return [url, form['MessageSid'], form['MessageStatus'], form['ErrorCode']]
  })
  expect(seen.filter(([url]) => url === '/status?order=1')).toEqual([
    ['/status?order=1', first.json.sid, 'sent', undefined],
    ['/status?order=1', first.json.sid, 'delivered', undefined],
  ])
  expect(seen.filter(([url]) => url === '/status?order=2')).toEqual([
    ['/status?order=2', second.json.sid, 'sent', undefined],
    ['/status?order=2', second.json.sid, 'undelivered', '30003'],
  ])
  const { json: webhooks } = await api('GET', '/webhooks')
  expect(webhooks).toMatchObject(
    [receiver, other].map(({ url }) => ({ url, format: 'twilio-status', name: 'StatusCallback' })),
  )
  expect((await api('PATCH', `/webhooks/${webhooks[0].id}`, { url: 'https://example.com' })).status).toBe(409)
  await eventually(async () =>
    expect((await deliveries(webhooks[0].id)).every(({ state }: never) => state === 'delivered')).toBe(true),
  )
})

test('a canceled message is reported as canceled', async () => {
  await newAccount()
  const receiver = await receivers.start()
  const { json } = await twilio.create({
    StatusCallback: receiver.url,
    ScheduleType: 'fixed',
    SendAt: new Date(Date.now() + 3_600_000).toISOString(),
  })
  await twilio.call('POST', `${twilio.messages}/${json.sid}.json`, { Status: 'canceled' })
  await eventually(() => expect(receiver.requests).toHaveLength(1))
  expect(formOf(receiver)).toMatchObject({ MessageSid: json.sid, MessageStatus: 'canceled' })
})

test('a StatusCallback with an address that is not allowed is refused, and the message is not sent', async () => {
  await newAccount()
  for (const url of [
    'ftp://example.com/',
    'not a url',
    'http://169.254.169.254/',
    'https://a:b@example.com/',
    `https://example.com/${'x'.repeat(2100)}`,
  ])
    expect(await codeOf(twilio.create({ StatusCallback: url }))).toEqual([400, 21609])
  expect(await replies()).toEqual([])
  expect((await api('GET', '/webhooks')).json).toEqual([])
})

test('only callers that may send without limits can register a receiver that replies', async () => {
  await newAccount()
  const body = { url: 'https://example.com/sms', event: 'sms:received', format: 'twilio' }
  const post = async (keyBody: object, more: object = {}) => {
    const { key } = await twilio.newKey(keyBody)
    return (await twilio.relay.api('POST', '/webhooks', { auth: `Bearer ${key}`, body: { id: 'k', ...body, ...more } }))
      .status
  }
  expect(await post({ scopes: ['webhooks:write'] })).toBe(403)
  expect(await post({ scopes: ['webhooks:write', 'messages:send'], limits: { recipientsPerDay: 5 } })).toBe(403)
  expect(await post({ scopes: ['webhooks:write'] }, { event: 'sms:sent' })).toBe(201)
  expect(await post({ scopes: ['webhooks:write', 'messages:send'] })).toBe(201)
  const { key } = await twilio.newKey({ scopes: ['webhooks:write'] })
  const move = { auth: `Bearer ${key}`, body: { url: 'https://example.org/' } }
  expect((await twilio.relay.api('PATCH', '/webhooks/k', move)).status).toBe(403)
  expect((await api('PATCH', '/webhooks/k', { events: ['sms:received', 'system:ping'] })).status).toBe(400)
  expect((await api('POST', '/webhooks', { ...body, event: 'system:ping' })).status).toBe(400)
})
