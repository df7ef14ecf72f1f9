import { METHODS } from 'node:http'
import { idParams } from '@smsgw/contract/fields/ids'
import { problem } from '@smsgw/contract/fields/problem'
import { sendMessageQuery, sendMessageRequest } from '@smsgw/contract/messages/message'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Answer, endpoint } from './endpoint.ts'
import { ApiError } from './errors/api-error.ts'
import { rootRoute, route } from './route.ts'
import { type TestServer, testServer } from './testing/test-server.ts'

const ALL = { authorization: 'all:any' }
const JSON_TYPE = { 'content-type': 'application/json' }
const anything = z.unknown()
let fault: unknown

const routes = [
  route('POST', '/messages', 'messages:send', 'Sends', {
    ...endpoint({
      body: sendMessageRequest,
      query: sendMessageQuery,
      answers: { 202: anything },
      handle: async ({ body, query, base }) => ({ status: 202, body: { body, query, base } }),
    }),
  }),
  route(
    'GET',
    '/messages/{id}',
    'messages:read',
    'Reads',
    endpoint({ params: idParams, answers: { 200: anything }, handle: async ({ params }) => ok(params) }),
  ),
  route(
    'DELETE',
    '/messages/{id}',
    'messages:cancel',
    'Cancels',
    endpoint({ params: idParams, answers: { 204: null }, handle: async () => ({ status: 204 }) }),
  ),
  route(
    'GET',
    '/logs',
    'logs:read',
    'Fails',
    endpoint({
      answers: { 200: anything },
      async handle() {
        throw fault
      },
    }),
  ),
  route(
    'POST',
    '/auth/token',
    'tokens:manage',
    'Not in this mode',
    endpoint({
      body: sendMessageRequest,
      unavailable: 'not here',
      answers: { 201: anything },
      handle: async () => ok(1),
    }),
  ),
  route(
    'GET',
    '/health',
    'public',
    'Is well',
    endpoint({ answers: { 200: anything }, handle: async () => ok('well') }),
  ),
  route(
    'GET',
    '/statistics',
    'public',
    'Is long',
    endpoint({ isCompressible: true, answers: { 200: anything }, handle: async () => ok(Array(2000).fill('well')) }),
  ),
  rootRoute(
    'GET',
    '/page',
    'public',
    'Is text',
    endpoint({
      mediaType: 'text/html; charset=utf-8',
      answers: { 200: z.string() },
      handle: async ({ address, headers }) => ok(`<p>${address} ${headers['x-forwarded-for']}`),
    }),
  ),
]

function ok(body: unknown): Answer {
  return { status: 200, body }
}

let server: TestServer
beforeAll(async () => {
  server = await testServer({ routes })
})
afterAll(() => server[Symbol.asyncDispose]())

const V1 = '/3rdparty/v1'
const message = { headers: { ...ALL, ...JSON_TYPE }, body: '{"message":"x","recipient":"+1"}' }

test.each(['/messages', '/messages/', '/messages?', '/messages/?', '/message', '/message/', '//messages?'])(
  'answers at %s, under both prefixes',
  async (path) => {
    for (const base of [V1, `/api${V1}`]) {
      const response = await server.send('POST', base + path, message)
      expect([response.status, await response.json()]).toMatchObject([202, { base }])
    }
  },
)

test('answers at a sub-path of an alias and decodes the id in the path', async () => {
  const response = await server.send('GET', `${V1}//message/a%3Ab%2F%2F%C3%A9/`, { headers: ALL })
  expect(await response.json()).toEqual({ id: 'a:b//é' })
})

test.each([
  ['the path is checked before the caller', 'GET', '/nothing', {}, 404],
  ['the method is checked before the caller', 'PUT', '/messages', {}, 405],
  ['the mode is checked before the caller', 'POST', '/auth/token', {}, 501],
  ['the mode is checked before the body', 'POST', '/auth/token', { body: '{', headers: { 'content-type': 'x' } }, 501],
  ['the caller is checked before the JSON', 'POST', '/messages', { body: '{', headers: JSON_TYPE }, 401],
  ['the caller is checked before the body size', 'POST', '/messages', { body: 'x'.repeat(300_000) }, 401],
  [
    'the caller is checked before the media type',
    'POST',
    '/messages',
    { body: 'x', headers: { 'content-type': '!' } },
    401,
  ],
  ['the caller is checked before the id', 'GET', `/messages/${'x'.repeat(400)}%00`, {}, 401],
  [
    'the scope is checked before the body',
    'POST',
    '/messages',
    { body: '{', headers: { authorization: 'logs:read' } },
    403,
  ],
  ['the body is checked before the query', 'POST', '/messages?deviceActiveWithin=x', { ...message, body: '{' }, 400],
  ['an impossible id is unknown', 'GET', '/messages/a%00', { headers: ALL }, 404],
  ['an id that is too long is unknown', 'GET', `/messages/${'x'.repeat(600)}`, { headers: ALL }, 404],
  ['a path that is not a URL is refused', 'GET', '/messages/%FF', { headers: ALL }, 400],
  ['a route without a body ignores the body', 'DELETE', '/messages/a', { body: '{', headers: ALL }, 204],
])('%s: %s %s', async (_, method, path, sent, status) => {
  const response = await server.send(method, V1 + path, sent)
  expect(response.status).toBe(status)
  if (status === 204) return
  const body = problem.parse(await response.json())
  expect([body.code, body.status, body.detail]).toEqual([status, status, body.message])
})

test('a DELETE that never answers 404 gives the same answer for an invalid id', async () => {
  const remove = endpoint({
    params: idParams,
    unknownId: 204,
    answers: { 204: null },
    handle: async () => ({ status: 204 }),
  })
  await using own = await testServer({ routes: [route('DELETE', '/hooks/{id}', 'public', 'Removes', remove)] })
  for (const id of ['a', 'a%00', '%EF%BF%BD']) expect((await own.send('DELETE', `${V1}/hooks/${id}`)).status).toBe(204)
})

test('a missing scope is named, and all:any includes every scope', async () => {
  const refused = await server.send('GET', `${V1}/messages/a`, { headers: { authorization: 'messages:send' } })
  expect(await refused.json()).toMatchObject({ code: 403, message: 'scope required: messages:read' })
  for (const authorization of ['all:any', 'messages:read'])
    expect((await server.send('GET', `${V1}/messages/a`, { headers: { authorization } })).status).toBe(200)
})

test('a wrong or unknown method is answered with the allowed methods', async () => {
  for (const method of ['PUT', 'POST', 'PROPFIND']) {
    for (const path of [`/api${V1}/message/a`, `${V1}//messages/a`]) {
      const response = await server.send(method, path)
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, DELETE, HEAD, OPTIONS'])
    }
  }
  const options = await server.send('OPTIONS', `${V1}/messages/a`)
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, DELETE, HEAD, OPTIONS'])
})

test.each(['', '{}'])('a request with the body %j gets an answer for every HTTP method', async (body) => {
  const statuses = async (path: string, headers = '') => {
    const answered: Record<string, number> = {}
    for (const method of METHODS.filter((name) => name !== 'CONNECT')) {
      const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}Content-Length: ${body.length}`
      const answer = await server.raw(`${head}\r\n\r\n${body}`)
      answered[method] = Number(answer.slice(9, 12))
      if (answered[method] === 405) expect(answer, method).toMatch(/^allow: GET, DELETE, HEAD, OPTIONS\r$/im)
    }
    return answered
  }
  const each = (status: number) =>
    Object.fromEntries(METHODS.filter((name) => name !== 'CONNECT').map((name) => [name, status]))
  const there = { ...each(405), GET: 401, HEAD: 401, DELETE: 401, OPTIONS: 204 }
  expect(await statuses(`${V1}/messages/a`)).toEqual(there)
  expect(await statuses(`${V1}/messages/a`, 'Content-Type: application/json\r\n')).toEqual(there)
  expect(await statuses('/nothing')).toEqual(each(404))
  expect(server.logged).toEqual([])
})

test('a literal path does not inherit the methods of a pattern that matches the path', async () => {
  const nothing = endpoint({ params: idParams, answers: { 200: anything }, handle: async () => ok('by id') })
  await using own = await testServer({
    routes: [
      route('GET', '/devices/{id}', 'public', 'Shows', nothing),
      route('DELETE', '/devices/{id}', 'public', 'Removes', nothing),
      route(
        'POST',
        '/devices/codes',
        'public',
        'Makes',
        endpoint({ answers: { 200: anything }, handle: async () => ok('code') }),
      ),
      route('GET', '/webhooks/deliveries/{id}', 'public', 'Shows', nothing),
      route('POST', '/webhooks/{id}/test', 'public', 'Tries', nothing),
    ],
  })
  const ask = async (method: string, path: string) => {
    const { status, headers } = await own.send(method, V1 + path)
    return [status, headers.get('allow')]
  }
  for (const path of ['/devices/codes', '/device/codes/']) {
    for (const method of ['GET', 'HEAD', 'DELETE', 'PUT'])
      expect(await ask(method, path)).toEqual([405, 'POST, OPTIONS'])
    expect(await ask('OPTIONS', path)).toEqual([204, 'POST, OPTIONS'])
    expect(await ask('POST', path)).toEqual([200, null])
  }
  expect(await ask('GET', '/devices/code')).toEqual([200, null])
  expect(await ask('POST', '/webhooks/deliveries/test')).toEqual([405, 'GET, HEAD, OPTIONS'])
  expect(await ask('POST', '/webhooks/other/test')).toEqual([200, null])
})

test('every answer links to the API description, after its own links', async () => {
  fault = undefined
  const catalog = '</.well-known/api-catalog>; rel="api-catalog"'
  for (const path of ['/health', `${V1}/messages/a`, '/nothing', '/%FF'])
    expect((await server.send('GET', path)).headers.get('link'), path).toBe(catalog)
  const paged = endpoint({
    answers: { 200: anything },
    handle: async () => ({ ...ok([]), headers: { Link: '<b>; rel="next"' } }),
  })
  await using own = await testServer({ routes: [rootRoute('GET', '/a', 'public', 'Lists', paged)] })
  expect((await own.send('GET', '/a')).headers.get('link')).toBe(`<b>; rel="next", ${catalog}`)
})

test('HEAD answers like GET, without the body', async () => {
  const response = await server.send('HEAD', `${V1}/messages/abc`, { headers: ALL })
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '12', ''])
})

test.each([
  ['gzip', 'gzip'],
  ['identity', null],
])(
  'a long answer is sent whole to a caller that accepts %s, and HEAD names the same length',
  async (accepts, encoding) => {
    const headers = { 'accept-encoding': accepts }
    const [got, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => server.send(method, `${V1}/statistics`, { headers })),
    )
    expect(await got?.json()).toHaveLength(2000)
    const length = Number(head?.headers.get('content-length'))
    for (const answer of [got, head]) {
      expect(answer?.headers.get('content-encoding')).toBe(encoding)
      expect(answer?.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(Number(answer?.headers.get('content-length'))).toBe(length)
    }
    expect(length < 1000).toBe(encoding === 'gzip')
  },
)

test('an invalid body is explained for each member, and in one line', async () => {
  const body = '{"phoneNumbers":["+1",2,""],"textMessage":{}}'
  const response = await server.send('POST', `${V1}/messages`, { ...message, body })
  expect(await response.json()).toEqual({
    code: 400,
    message: 'phoneNumbers[1] must be a string (and 2 more)',
    type: 'about:blank',
    title: 'Bad Request',
    status: 400,
    detail: 'phoneNumbers[1] must be a string (and 2 more)',
    requestId: 'made-here',
    errors: [
      { path: 'phoneNumbers[1]', reason: 'wrong_type', message: 'must be a string' },
      { path: 'phoneNumbers[2]', reason: 'required', message: 'must not be empty' },
      { path: 'textMessage.text', reason: 'required', message: 'is required' },
    ],
  })
})

test.each([
  ['application/problem+json', 'application/problem+json; charset=utf-8'],
  ['text/html, Application/Problem+JSON;q=0.9', 'application/problem+json; charset=utf-8'],
  ['application/json', 'application/json; charset=utf-8'],
  ['*/*', 'application/json; charset=utf-8'],
])('with Accept: %s an error is %s', async (accept, type) => {
  const response = await server.send('GET', '/nothing', { headers: { accept } })
  expect(response.headers.get('content-type')).toBe(type)
})

test('a request keeps its id if the id is valid', async () => {
  const idFor = async (id: string) => {
    const response = await server.send('GET', '/nothing', { headers: { 'x-request-id': id } })
    return [response.headers.get('x-request-id'), ((await response.json()) as { requestId: string }).requestId]
  }
  expect(await idFor('4f/a:b-1')).toEqual(['4f/a:b-1', '4f/a:b-1'])
  for (const odd of ['a b', 'x'.repeat(129), '<a>', 'é']) expect(await idFor(odd)).toEqual(['made-here', 'made-here'])
})

test('an internal error appears only in the log, without content of the request', async () => {
  fault = Object.assign(new TypeError('x is undefined'), { cause: new SyntaxError('"secret text" is not valid JSON') })
  const response = await server.send('GET', `${V1}/logs`, { headers: ALL })
  const body = await response.text()
  expect(response.status).toBe(500)
  expect(body).not.toContain('undefined')
  const line = JSON.stringify(server.logged.at(-1))
  expect(line).toContain('x is undefined')
  expect(line).not.toContain('secret text')
})

test('an unavailable database results in a 503 with Retry-After', async () => {
  fault = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const response = await server.send('GET', `${V1}/logs`, { headers: ALL })
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
})

test('an API error keeps its headers', async () => {
  fault = new ApiError(429, 'slower', { headers: { 'Retry-After': '7' } })
  const response = await server.send('GET', `${V1}/logs`, { headers: ALL })
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
})

test('every answer has the security headers for browsers', async () => {
  for (const [method, path] of [
    ['GET', `${V1}/health`],
    ['GET', '/nothing'],
    ['OPTIONS', `${V1}/health`],
    ['GET', '/%FF'],
  ] as const) {
    const { headers } = await server.send(method, path)
    expect(headers.get('content-security-policy'), path).toContain("default-src 'none'")
    expect(headers.get('x-content-type-options'), path).toBe('nosniff')
    expect(headers.get('cache-control'), path).toBe('no-store')
  }
})

test('text is unchanged, and only a listed proxy can set the address of the caller', async () => {
  const forwarded = { headers: { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' } }
  const direct = await server.send('GET', '/page', forwarded)
  expect(direct.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(await direct.text()).toMatch(/^<p>127\.0\.0\.1 /)
  await using behind = await testServer({ routes, trustedProxies: ['127.0.0.0/8'] })
  expect(await (await behind.send('GET', '/page', forwarded)).text()).toMatch(/^<p>198\.51\.100\.7 /)
})

test('a request counts as secure when a listed proxy reports TLS, but not when another caller reports it', async () => {
  const secure: boolean[] = []
  const authenticate = async (caller: { isSecure: boolean }) => {
    secure.push(caller.isSecure)
    throw new ApiError(401, 'no')
  }
  const headers = { 'x-forwarded-proto': 'https' }
  await using alone = await testServer({ routes, authenticate })
  await using behind = await testServer({ routes, authenticate, trustedProxies: ['127.0.0.1'] })
  for (const each of [alone, behind]) await each.send('GET', `${V1}/messages/a`, { headers })
  const response = await behind.send('GET', `${V1}/messages/a`, { headers })
  expect(secure).toEqual([false, true, true])
  expect(response.headers.get('strict-transport-security')).not.toBeNull()
})

test('a request in progress is finished while the server stops', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
  const slow = endpoint({
    answers: { 200: anything },
    async handle() {
      enter()
      await gate
      return ok('done')
    },
  })
  const ending = await testServer({ routes: [rootRoute('GET', '/slow', 'public', 'Waits', slow)] })
  const response = ending.send('GET', '/slow')
  await entered
  const closed = ending[Symbol.asyncDispose]()
  open()
  expect(await (await response).json()).toBe('done')
  await closed
})
