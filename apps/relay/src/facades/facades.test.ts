// Tests all interfaces of other products for credentials, limits, and hostile input.
import type { Scope } from '@smsgw/contract/access/scopes'
import { scopes } from '@smsgw/contract/access/scopes'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestCallOptions } from '../testing/call-url.ts'
import { type FacadeRelay, facadeRelay } from './testing/facade-relay.ts'

const NUMBER = '+447400123456'
let relay: FacadeRelay
let key: string
const keyWith = new Map<Scope, string>()

beforeAll(async () => {
  relay = await facadeRelay()
  for (const scope of scopes) keyWith.set(scope, await relay.createKey({ scopes: [scope] }))
})
beforeEach(async () => {
  await relay.database.message.deleteMany()
  key = await relay.createKey()
})
afterAll(() => relay.close())

/** Always changes the last character. A fixed last character would sometimes result in the right key. */
const wrongKey = () => `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`

interface Sending {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly options: TestCallOptions
}

/** For each interface, a valid request with a key in the place that the interface uses. */
const interfaces: Readonly<Record<string, (key: string, to?: string, text?: string) => Sending>> = {
  'SMSEagle v1 by GET': (key, to = NUMBER, text = 'hi') => ({
    method: 'GET',
    path: `/http_api/send_sms?${new URLSearchParams({ access_token: key, to, message: text })}`,
    options: { auth: null },
  }),
  'SMSEagle v1 by form': (key, to = NUMBER, text = 'hi') =>
    form('/index.php/http_api/send_sms', { access_token: key, to, message: text }),
  'SMSEagle v1 with login': (key, to = NUMBER, text = 'hi') =>
    form('/http_api/send_sms', { login: 'john', pass: key, to, message: text }),
  'SMSEagle JSON-RPC': (key, to = NUMBER, text = 'hi') => ({
    method: 'POST',
    path: '/jsonrpc/sms',
    options: { auth: null, body: { method: 'sms.send_sms', params: { access_token: key, to, message: text } } },
  }),
  'SMSEagle v2': (key, to = NUMBER, text = 'hi') => ({
    method: 'POST',
    path: '/api/v2/messages/sms',
    options: { auth: null, headers: { 'access-token': key }, body: { to: to.split(','), text } },
  }),
  Kannel: (key, to = NUMBER, text = 'hi') => ({
    method: 'GET',
    path: `/cgi-bin/sendsms?${new URLSearchParams({ username: 'any', password: key, to, text })}`,
    options: { auth: null },
  }),
  'plain JSON': (key, to = NUMBER, text = 'hi') => ({
    method: 'POST',
    path: '/api/v1/sms/send',
    options: { auth: null, headers: { 'x-api-key': key }, body: { to, body: text } },
  }),
}
const each = Object.entries(interfaces)

function form(path: string, values: Readonly<Record<string, string>>): Sending {
  return {
    method: 'POST',
    path,
    options: {
      auth: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(values).toString(),
    },
  }
}

async function run({ method, path, options }: Sending) {
  return await relay.request(method, path, options)
}

/** SMSEagle's API v1 answers some errors with the status 200. */
const isOk = ({ status, text }: { status: number; text: string }) => status < 300 && !/Invalid|Wrong|error/.test(text)

test.each(each)('%s sends with an API key, which is recorded with the message', async (_, sending) => {
  const answer = await run(sending(key))
  expect([answer.status, isOk(answer)]).toEqual([expect.toBeOneOf([200, 202]), true])
  const [message, ...others] = await relay.accepted()
  expect(others).toEqual([])
  expect(message).toMatchObject({
    textMessage: { text: 'hi' },
    recipients: [{ phoneNumber: NUMBER }],
    sentBy: { kind: 'key', keyName: 'alerts' },
  })
  expect(answer.headers.get('x-message-id') ?? answer.text).toContain(message?.id)
})

test.each(each)('%s sends to a short code', async (_, sending) => {
  expect(isOk(await run(sending(key, '72727')))).toBe(true)
  expect(await relay.accepted()).toMatchObject([{ recipients: [{ phoneNumber: '72727' }] }])
})

test('a short code is kept as written, a mobile number of the region is not, and the limit of a key applies to both', async () => {
  const andorra = await facadeRelay({ settings: { DEFAULT_REGION: 'AD' } })
  try {
    const limited = await andorra.createKey({ limits: { recipients: ['72727', '+376*'] } })
    for (const [name, sending] of each) {
      await andorra.database.message.deleteMany()
      const statuses = []
      for (const to of ['72727', '564227', '112']) {
        const { method, path, options } = sending(limited, to)
        statuses.push((await andorra.request(method, path, options)).status)
      }
      expect([name, statuses]).toEqual([name, [expect.toBeOneOf([200, 202]), expect.toBeOneOf([200, 202]), 403]])
      const numbers = (await andorra.accepted()).flatMap(({ recipients }) => recipients)
      expect(numbers).toMatchObject([{ phoneNumber: '72727' }, { phoneNumber: '+376564227' }])
    }
  } finally {
    await andorra.close()
  }
})

test.each(each)('%s refuses a wrong key, and sends nothing', async (_, sending) => {
  for (const wrong of ['wrong', '', wrongKey(), 'smsgw_live_', 'ü'])
    expect(isOk(await run(sending(encodeURIComponent(wrong))))).toBe(false)
  expect(await relay.accepted()).toEqual([])
})

test.each(each)('%s sends only with the scope messages:send', async (_, sending) => {
  for (const [scope, limited] of keyWith) {
    const isAllowed = scope === 'messages:send' || scope === 'all:any'
    expect([scope, isOk(await run(sending(limited)))]).toEqual([scope, isAllowed])
  }
  expect(await relay.accepted()).toHaveLength(2)
})

test.each(each)('%s applies the two limits of a key: which recipients, and how many per day', async (_, sending) => {
  const limited = await relay.createKey({ limits: { recipients: [NUMBER], recipientsPerDay: 1 } })
  const other = await run(sending(limited, '+447400123457'))
  expect([other.status, isOk(other)]).toEqual([403, false])
  expect(isOk(await run(sending(limited)))).toBe(true)
  const second = await run(sending(limited))
  expect([second.status, isOk(second)]).toEqual([429, false])
  expect(second.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await relay.accepted()).toHaveLength(1)
})

test.each(each)('%s refuses invalid numbers and texts with one clear error', async (_, sending) => {
  const many = Array.from({ length: 10_000 }, (_, index) => `+4474001${String(index).padStart(5, '0')}`).join(',')
  const isInUrl = sending(key).method === 'GET'
  const inputs = [
    ['', 'hi'],
    [',', 'hi'],
    ['hello', 'hi'],
    [NUMBER, ''],
    [`${NUMBER},${NUMBER}`, 'hi'],
    [NUMBER, 'a\0b'],
    ...(isInUrl
      ? []
      : [
          [many, 'hi'],
          [NUMBER, 'x'.repeat(70_000)],
        ]),
  ]
  for (const [to, text] of inputs) {
    const answer = await run(sending(key, to, text))
    expect([to?.slice(0, 40), text?.slice(0, 9), isOk(answer), answer.status < 500]).toEqual([
      to?.slice(0, 40),
      text?.slice(0, 9),
      false,
      true,
    ])
  }
  expect(await relay.accepted()).toEqual([])
})

const others = each.filter(([, sending]) => sending('k').method === 'POST')

test.each(others)('%s refuses bodies of the wrong type, size and format', async (_, sending) => {
  const { path, options, method } = sending(key)
  const withBody = (body: unknown, type?: string) =>
    relay.request(method, path, {
      auth: null,
      headers: { 'x-api-key': key, ...options.headers, ...(type !== undefined && { 'content-type': type }) },
      body,
    })
  const bodies: [unknown, string?][] = [
    ['<xml/>', 'text/xml'],
    ['{', 'application/json'],
    ['null', 'application/json'],
    ['[[[]]]', 'application/json'],
    ['"x"', 'application/json'],
    ['{"to":{},"body":[],"text":{},"params":{"to":{}},"method":1}', 'application/json'],
    ['{"__proto__":{"to":"+447400123456"}}', 'application/json'],
    ['x'.repeat(300_000), 'application/json'],
    ['x'.repeat(300_000), 'application/x-www-form-urlencoded'],
    [Buffer.from([0xff, 0xfe, 0x00]), 'application/x-www-form-urlencoded'],
    ['to=%00&message=%zz', 'application/x-www-form-urlencoded'],
  ]
  for (const [body, type] of bodies) {
    const answer = await withBody(body, type)
    expect([String(body).slice(0, 20), isOk(answer), answer.status < 500]).toEqual([
      String(body).slice(0, 20),
      false,
      true,
    ])
  }
  expect(await relay.accepted()).toEqual([])
})

test.each(each)('%s never sends for a session of a browser or for a page on another site', async (_, sending) => {
  const { username, password, basic } = relay.account
  const signedIn = await relay.api('POST', '/session', { auth: null, body: { username, password } })
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  expect(cookie).not.toBe('')
  const { method, path, options } = sending('')
  const bare = path.replace(/access_token=&|username=any&password=&/, '')
  const page = { ...options.headers, 'access-token': '', 'x-api-key': '', 'sec-fetch-site': 'cross-site' }
  const { 'access-token': _token, 'x-api-key': _key, ...headers } = page
  const body = options.body === undefined ? {} : { body: withoutCredentials(options.body) }
  expect(isOk(await relay.request(method, bare, { auth: null, headers: { ...headers, cookie }, ...body }))).toBe(false)
  expect(isOk(await relay.request(method, bare, { auth: basic, headers, ...body }))).toBe(false)
  expect(await relay.accepted()).toEqual([])
})

test.each(each)('%s sends once for two requests with the same Idempotency-Key', async (_, sending) => {
  const { method, path, options } = sending(key)
  const headers = { ...options.headers, 'idempotency-key': 'once' }
  for (let times = 0; times < 2; times += 1)
    expect(isOk(await relay.request(method, path, { ...options, headers }))).toBe(true)
  expect(await relay.accepted()).toHaveLength(1)
})

function withoutCredentials(body: unknown): unknown {
  if (typeof body === 'string') return body.replace(/(?:access_token=|login=john&pass=)&/, '')
  return JSON.parse(JSON.stringify(body).replace('"access_token":"",', ''))
}

test('a stored password sends nothing by GET, because an image on any page can cause the request', async () => {
  for (const path of ['/http_api/send_sms?message=hi', '/cgi-bin/sendsms?text=hi']) {
    const url = `${path}&to=${encodeURIComponent(NUMBER)}`
    expect(isOk(await relay.request('GET', url, { auth: relay.account.basic }))).toBe(false)
    expect(isOk(await relay.request('GET', url, { auth: `Bearer ${key}` }))).toBe(true)
  }
  expect(await relay.accepted()).toHaveLength(2)
})

test('a HEAD request sends nothing', async () => {
  const path = `/http_api/send_sms?${new URLSearchParams({ access_token: key, to: NUMBER, message: 'hi' })}`
  expect((await relay.request('HEAD', path, { auth: null })).status).toBe(405)
  expect(await relay.accepted()).toEqual([])
})

test('no log line contains a key, a password, or the query of a request', async () => {
  const secret = wrongKey()
  for (const [, sending] of each) {
    await run(sending(key))
    await run(sending(secret))
    await run(sending(key, 'hello'))
  }
  const { text } = await relay.api('GET', '/logs')
  const written = relay.logged.join('') + text
  expect(written).not.toContain(key)
  expect(written).not.toContain(secret)
  expect(written).not.toContain('access_token')
})

test('a repeated parameter is refused, because a proxy may have read the other value', async () => {
  const [one, other] = [NUMBER, '+447400123457'].map(encodeURIComponent)
  const answer = await relay.request('GET', `/http_api/send_sms?access_token=${key}&to=${one}&to=${other}&message=hi`, {
    auth: null,
  })
  expect([answer.status, answer.text]).toEqual([200, 'Wrong parameters'])
  expect(answer.headers.get('x-problem')).toBe('to is given more than once: send it once')
  expect(await relay.accepted()).toEqual([])
})

test('the interfaces are not part of the OpenAPI document', async () => {
  const { json } = await relay.request('GET', '/openapi.json')
  expect(Object.keys(json.paths).filter((path) => /http_api|jsonrpc|api\/v[12]\//.test(path))).toEqual([])
})
