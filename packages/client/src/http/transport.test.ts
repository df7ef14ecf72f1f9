import { expect, onTestFinished, test, vi } from 'vitest'
import {
  dropConnection,
  json,
  problemAnswer,
  type ScriptedAnswer,
  scriptedServer,
  silent,
} from '../../testing/scripted-server.ts'
import { SmsGateway, type SmsGatewayOptions } from '../client.ts'
import {
  AuthenticationError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
} from '../errors.ts'

const message = { id: 'm1', state: 'Pending', recipients: [] }
const text = { to: '+447400123456', text: 'Hello' }

async function gateway(
  answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]],
  options: Partial<SmsGatewayOptions> = {},
) {
  const { url, requests } = await scriptedServer(...answers)
  const sms = new SmsGateway({ url, credentials: { username: 'sms', password: 'tea' }, ...options })
  return { sms, requests }
}

test('a message is sent with credentials, a JSON body and an idempotency key', async () => {
  const { sms, requests } = await gateway([json(202, message)])
  await expect(sms.messages.send({ ...text, priority: 5 }, { skipPhoneValidation: true })).resolves.toEqual(message)
  expect(requests).toMatchObject([
    {
      method: 'POST',
      url: '/3rdparty/v1/messages?skipPhoneValidation=true',
      headers: {
        authorization: 'Basic c21zOnRlYQ==',
        'content-type': 'application/json',
        'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    },
  ])
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    phoneNumbers: ['+447400123456'],
    textMessage: { text: 'Hello' },
    priority: 5,
  })
})

test('retries of a message keep its key, and another message has another key', async () => {
  const { sms, requests } = await gateway([dropConnection, problemAnswer(503, 'busy'), json(202, message)])
  await sms.messages.send(text)
  await sms.messages.send(text)
  const keys = requests.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toHaveLength(4)
  expect(new Set(keys.slice(0, 3)).size).toBe(1)
  expect(keys[3]).not.toBe(keys[0])
})

test('an answer that is cut off is requested again', async () => {
  const cutOff: ScriptedAnswer = (response) => {
    response.writeHead(202, { 'content-length': '1000' }).write('{"id":')
    setTimeout(() => response.destroy(), 20)
  }
  const { sms, requests } = await gateway([cutOff, json(202, message)])
  await expect(sms.messages.send(text)).resolves.toEqual(message)
  expect(requests).toHaveLength(2)
})

test('a request that is not idempotent is not repeated after the connection ended', async () => {
  const { sms, requests } = await gateway([dropConnection, json(200, { text: 'balance', more: false })])
  await expect(sms.devices.ussd('d1', { code: '*100#' })).rejects.toThrow(ConnectionError)
  expect(requests).toHaveLength(1)
})

test('a request is repeated at most maxRetries times', async () => {
  const { sms, requests } = await gateway([problemAnswer(503, 'database unavailable')], { maxRetries: 2 })
  await expect(sms.messages.send(text)).rejects.toMatchObject({
    name: 'UnavailableError',
    message: 'database unavailable',
  })
  expect(requests).toHaveLength(3)
})

test('waits for the pause that the server demands', async () => {
  const { sms } = await gateway([problemAnswer(429, 'slow down', { 'retry-after': '1' }), json(202, message)])
  const startedAt = performance.now()
  await sms.messages.send(text)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1000)
})

test('a demanded pause that is longer than the limit ends the call at once', async () => {
  const { sms, requests } = await gateway([problemAnswer(429, 'limit of the day', { 'retry-after': '3600' })])
  await expect(sms.messages.send(text)).rejects.toMatchObject({ name: 'RateLimitError', retryAfterSeconds: 3600 })
  await expect(sms.messages.send(text)).rejects.toThrow(RateLimitError)
  expect(requests).toHaveLength(2)
})

test('an invalid request is not repeated, and its error names each member', async () => {
  const errors = [{ path: 'phoneNumbers[0]', message: 'is not a valid phone number' }]
  const { sms, requests } = await gateway([problemAnswer(400, 'phoneNumbers[0] is not valid', {}, { errors })])
  const error = await sms.messages.send(text).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(InvalidRequestError)
  expect(error).toMatchObject({ status: 400, errors, requestId: 'r1', message: 'phoneNumbers[0] is not valid' })
  expect(requests).toHaveLength(1)
})

test('the status decides the class of the error, also without a body of the gateway', async () => {
  const page: ScriptedAnswer = (response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>')
  const { sms } = await gateway([page])
  await expect(sms.messages.get('m1')).rejects.toThrow(
    new NotFoundError({ status: 404, message: 'the server answered with status 404' }),
  )
})

test('a server that does not answer in time causes a TimeoutError', async () => {
  const { sms } = await gateway([silent], { timeoutMs: 50, maxRetries: 1 })
  await expect(sms.messages.get('m1')).rejects.toThrow(TimeoutError)
})

test.each([
  ['during a request', silent],
  ['between two attempts', problemAnswer(503, 'busy', { 'retry-after': '20' })],
])('a signal ends the call %s with its reason', async (_, answer) => {
  const { sms } = await gateway([answer])
  const reason = new Error('the user left')
  await expect(sms.messages.get('m1', { signal: abortedIn(100, reason) })).rejects.toBe(reason)
})

test('does not follow a redirect, because the credentials are for one server', async () => {
  const { sms, requests } = await gateway([json(301, {}, { location: 'https://elsewhere.example/' })])
  await expect(sms.messages.get('m1')).rejects.toThrow('use that address as url')
  expect(requests).toHaveLength(1)
})

test.each(['http://127.0.0.1:1', 'http://gateway.invalid'])(
  '%s causes a ConnectionError that says why',
  async (url) => {
    const sms = new SmsGateway({ url, credentials: { apiKey: 'key' }, maxRetries: 0 })
    await expect(sms.messages.get('m1')).rejects.toThrow(/^cannot reach http:.*: .+/)
  },
)

test.each([
  [{ credentials: { username: 'a:b', password: 'x' } }, 'username must not contain a colon'],
  [{ credentials: { username: 'sms', password: '' } }, 'username and password must not be empty'],
  [{ credentials: { apiKey: 'two words' } }, 'the key or token is empty or contains spaces'],
  [{ url: 'ftp://sms.example.org' }, 'must begin with http: or https:'],
  [{ url: 'https://sms:tea@sms.example.org' }, 'must not contain credentials'],
])('refuses %j before it sends anything', (options, problem) => {
  const valid = { url: 'https://sms.example.org', credentials: { apiKey: 'key' } }
  expect(() => new SmsGateway({ ...valid, ...options })).toThrow(problem)
})

test('a number is escaped in the path', async () => {
  const { sms, requests } = await gateway([json(200, [])])
  await sms.conversations.entries('+4474/00').page()
  expect(requests[0]?.url).toBe('/3rdparty/v1/conversations/%2B4474%2F00')
})

test('a total that is only the least possible number is marked', async () => {
  const counted = { 'x-total-count': '50000', 'x-total-count-exact': 'false' }
  const { sms } = await gateway([json(200, [], counted), json(200, [])])
  await expect(sms.messages.list().page()).resolves.toMatchObject({ total: 50_000, isTotalExact: false })
  const next = await sms.messages.list().page('abc')
  expect([next.total, next.isTotalExact]).toEqual([undefined, undefined])
})

test('a list yields the items of all pages, and requests a page only when it is needed', async () => {
  const pages: [ScriptedAnswer, ScriptedAnswer] = [
    json(200, [{ id: '1' }, { id: '2' }], {
      'x-total-count': '3',
      link: '</3rdparty/v1/messages?limit=2&cursor=abc%2B>; rel="next", </.well-known/api-catalog>; rel="api-catalog"',
    }),
    json(200, [{ id: '3' }], { link: '</.well-known/api-catalog>; rel="api-catalog"' }),
  ]
  const { sms, requests } = await gateway(pages)
  const list = sms.messages.list({ limit: 2, state: 'Failed' })
  expect(requests).toEqual([])
  await expect(list.page()).resolves.toMatchObject({ total: 3, isTotalExact: true, nextCursor: 'abc+' })
  const other = await gateway(pages)
  const ids: string[] = []
  for await (const { id } of other.sms.messages.list({ limit: 2, state: 'Failed' })) ids.push(id)
  expect(ids).toEqual(['1', '2', '3'])
  expect(other.requests.map(({ url }) => url)).toEqual([
    '/3rdparty/v1/messages?limit=2&state=Failed',
    '/3rdparty/v1/messages?limit=2&state=Failed&cursor=abc%2B',
  ])
})

test('waitFor reads until every recipient has ended', async () => {
  const withStates = (...states: string[]) => json(200, { ...message, recipients: states.map((state) => ({ state })) })
  const { sms, requests } = await gateway([
    withStates('Sent', 'Pending'),
    withStates('Sent', 'Failed'),
    withStates('Delivered', 'Failed'),
  ])
  const { recipients } = await sms.messages.waitFor('m1')
  expect(recipients.map(({ state }) => state)).toEqual(['Delivered', 'Failed'])
  expect(requests).toHaveLength(3)
})

test('waitFor waits for the whole time even if the clock was set forward', async () => {
  onTestFinished(() => void vi.useRealTimers())
  const inState = (state: string) => json(200, { ...message, recipients: [{ state }] })
  const { sms } = await gateway([inState('Pending'), inState('Sent'), inState('Delivered')])
  const waiting = sms.messages.waitFor('m1')
  vi.setSystemTime(Date.now() + 3_600_000)
  expect((await waiting).recipients).toEqual([{ state: 'Delivered' }])
})

test('waitFor ends with a TimeoutError that names the state', async () => {
  const { sms } = await gateway([json(200, { ...message, recipients: [{ state: 'Pending' }] })])
  await expect(sms.messages.waitFor('m1', { timeoutMs: 300 })).rejects.toThrow('message m1 is still Pending after 0 s')
})

function abortedIn(ms: number, reason: Error): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), ms)
  return controller.signal
}

test('a wrong password is not repeated', async () => {
  const { sms, requests } = await gateway([problemAnswer(401, 'Wrong username or password')])
  await expect(sms.messages.get('m1')).rejects.toThrow(AuthenticationError)
  expect(requests).toHaveLength(1)
})
