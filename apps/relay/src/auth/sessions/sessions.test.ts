import { sessionInfo } from '@smsgw/contract/access/session'
import { beforeEach, expect, test } from 'vitest'
import { changePassword } from '../../accounts/change-password.ts'
import { createAccount } from '../../accounts/create-account.ts'
import { removeAccount } from '../../accounts/remove-account.ts'
import { checkAnswer } from '../../http/answer/check-answer.ts'
import { buildServer } from '../../http/build-server.ts'
import { endpoint } from '../../http/endpoint.ts'
import { route } from '../../http/route.ts'
import { newId, systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import { localHints } from '../../testing/local-hints.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { buildAuth } from '../auth.ts'
import { deleteEndedSessions } from './delete-ended-sessions-statement.ts'

const box = secretBox('a secret that is long enough to be one', systemRandom)
const random = systemRandom
const DAY_MS = 86_400_000
const world = useTestDatabase({ connections: 10 })
let nowMs: number
let username: string
let accountId: string
const clock = { now: () => new Date(nowMs) }

let accounts = 0
beforeEach(async () => {
  nowMs = Date.UTC(2026, 2, 1)
  username = `user${accounts++}`
  accountId = (await createAccount({ ...world, random, box }, { username, password: 'right password' })) ?? ''
})

type Headers = Readonly<Record<string, string>>
type Method = 'GET' | 'POST' | 'DELETE'

/** Returns a relay with the session endpoints and two other endpoints to call. */
function replica({ isLocal = false } = {}) {
  const auth = buildAuth({
    core: { ...world, hints: localHints(), box, clock, random, logbook: { write: () => undefined } },
    tokens: { issuer: 'smsgw', maxTtlSeconds: 86_400, refreshTtlSeconds: 86_400 },
    ...{ isLocal, allowInsecureHttp: false },
    ...{ version: '1.2.3', observeLogin: () => undefined, hasVirtualPhone: isLocal },
  })
  const whoAmI = endpoint({
    answers: { 200: null },
    handle: async ({ principal }) => ({ status: 200, headers: { who: principal.username } }),
  })
  const server = buildServer({
    ...auth,
    routes: [
      route('POST', '/session', 'public', 'Signs in', auth.beginSession),
      route('GET', '/session', 'any scope', 'Tells', auth.showSession),
      route('DELETE', '/session', 'any scope', 'Signs out', auth.endSession),
      route('GET', '/messages', 'messages:list', 'Who', whoAmI),
      route('POST', '/messages', 'messages:send', 'Who', whoAmI),
    ],
    ...{ log: { error: () => undefined, warn: () => undefined }, checkAnswer },
    ...{ requestId: () => newId(random), trustedProxies: ['10.0.0.0/8'] },
  })
  return async (method: Method, path: string, headers: Headers = {}, body?: object, remoteAddress = '127.0.0.1') => {
    const what = { method, url: `/3rdparty/v1${path}`, remoteAddress, ...(body && { payload: body }) }
    const answer = await server.inject({ ...what, headers: { host: 'sms.example', ...headers } })
    return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? {} : answer.json() }
  }
}

const credentials = () => ({ username, password: 'right password' })
const basic = (name: string, password = 'right password') =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

const isProxied = (headers: Headers) => 'x-forwarded-proto' in headers

/** Returns the `Cookie` header of a browser that has just signed in. */
async function signIn(ask: ReturnType<typeof replica>, proxied: Headers = {}): Promise<string> {
  const { status, headers } = await ask(
    'POST',
    '/session',
    proxied,
    credentials(),
    isProxied(proxied) ? '10.0.0.1' : undefined,
  )
  expect(status).toBe(200)
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

test.each([
  [false, { mode: 'cloud', hasVirtualPhone: false }],
  [true, { mode: 'local', hasVirtualPhone: true }],
])('signing in sets a cookie that allows every operation (Local Server mode: %s)', async (isLocal, expected) => {
  const ask = replica({ isLocal })
  const { status, headers, body } = await ask('POST', '/session', {}, credentials())
  expect(status).toBe(200)
  expect(sessionInfo.parse(body)).toEqual({
    ...{ username, version: '1.2.3', scopes: ['all:any'] },
    twilioAccountSid: expect.stringMatching(/^AC[0-9a-f]{32}$/),
    ...expected,
  })
  const cookie = String(headers['set-cookie'])
  expect(cookie).toMatch(/^smsgw_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
  const sent = { cookie: `theme=dark; ${cookie.split(';')[0]}` }
  expect((await ask('GET', '/session', sent)).body).toEqual(body)
  expect((await ask('GET', '/messages', sent)).headers['who']).toBe(username)
})

test('the cookie is limited to TLS when the request used TLS', async () => {
  const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' }
  const { headers } = await replica()('POST', '/session', proxied, credentials(), '10.0.0.1')
  expect(headers['set-cookie']).toMatch(/^__Host-smsgw_session=.*; Path=\/; .*; Secure$/)
})

test('over TLS only sessions that began over TLS on this host are accepted', async () => {
  const ask = replica()
  const byTls = { 'x-forwarded-proto': 'https' }
  const from = async (cookie: string) =>
    (await ask('GET', '/messages', { ...byTls, cookie }, undefined, '10.0.0.1')).status
  const own = await signIn(ask, byTls)
  const planted = await signIn(ask)
  expect(await from(own)).toBe(200)
  expect(await from(planted)).toBe(401)
  expect(await from(`${planted}; ${own}`)).toBe(200)
})

test('the database stores a hash of the session token', async () => {
  const cookie = await signIn(replica())
  const rows = await world.database.session.findMany({ where: { accountId } })
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(cookie.split('=')[1])
})

test.each([
  ['none', {}, 403],
  ['another site', { origin: 'https://evil.example' }, 403],
  ['a site with a similar name', { origin: 'http://sms.example.evil.example' }, 403],
  ['another port', { origin: 'http://sms.example:8080' }, 403],
  ['null', { origin: 'null' }, 403],
  ['no web page', { origin: 'file://sms.example' }, 403],
  ['our own', { origin: 'http://sms.example' }, 200],
  ['our own behind a proxy that is not configured', { origin: 'https://sms.example' }, 200],
])('a session can change things only from its own page: Origin is %s', async (_, headers, status) => {
  const ask = replica()
  const cookie = await signIn(ask)
  const answer = await ask('POST', '/messages', { cookie, ...headers })
  expect(answer.status).toBe(status)
  if (status === 403) expect(answer.body.message).toContain('Origin')
  expect((await ask('GET', '/messages', { cookie, ...headers })).status).toBe(200)
})

test.each([
  ['Origin is another site', { origin: 'https://evil.example' }, 403],
  ['Origin is another port', { origin: 'http://sms.example:8080' }, 403],
  ['Origin is null', { origin: 'null' }, 403],
  ['Sec-Fetch-Site is cross-site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['Sec-Fetch-Site is same-site', { 'sec-fetch-site': 'same-site' }, 403],
  ['Origin is our own', { origin: 'http://sms.example', 'sec-fetch-site': 'same-origin' }, 200],
  ['no page, because a person typed the address', { 'sec-fetch-site': 'none' }, 200],
  ['no page, because a program calls', {}, 200],
])('a stored password changes nothing for a page on another site: %s', async (_, headers, status) => {
  for (const isLocal of [false, true]) {
    const ask = replica({ isLocal })
    const authorization = basic(username)
    const answer = await ask('POST', '/messages', { authorization, ...headers })
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.body.message).toContain('let the server of the page send the request')
    expect((await ask('GET', '/messages', { authorization, ...headers })).status).toBe(200)
    const wrong = await ask('POST', '/messages', { authorization: basic(username, 'wrong'), ...headers })
    expect(wrong.status).toBe(status === 403 ? 403 : 401)
  }
})

test('behind a trusted proxy, our own page has the host name that the proxy reports', async () => {
  const ask = replica()
  const byTls = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'public.example' }
  const cookie = `${await signIn(ask, byTls)}; ${await signIn(ask)}`
  const proxied = { cookie, ...byTls }
  const from = (origin: string, address: string) => ask('POST', '/messages', { ...proxied, origin }, undefined, address)
  expect((await from('https://public.example', '10.0.0.1')).status).toBe(200)
  expect((await from('http://public.example', '10.0.0.1')).status).toBe(403)
  expect((await from('https://sms.example', '10.0.0.1')).status).toBe(403)
  expect((await from('https://public.example', '127.0.0.1')).status).toBe(403)
})

test('a page on another site cannot sign in', async () => {
  const { status, headers } = await replica()('POST', '/session', { origin: 'https://evil.example' }, credentials())
  expect(status).toBe(403)
  expect(headers['set-cookie']).toBeUndefined()
})

test('an Authorization header takes precedence over a session, even with wrong credentials', async () => {
  const ask = replica()
  const cookie = await signIn(ask)
  await createAccount({ ...world, random, box }, { username: `${username}b`, password: 'right password' })
  const other = await ask('GET', '/messages', { cookie, authorization: basic(`${username}b`) })
  expect(other.headers['who']).toBe(`${username}b`)
  expect((await ask('GET', '/messages', { cookie, authorization: basic(username, 'wrong') })).status).toBe(401)
  // Signing out with a password ends no session.
  expect((await ask('DELETE', '/session', { cookie, authorization: basic(username) })).status).toBe(204)
  expect((await ask('GET', '/messages', { cookie })).status).toBe(200)
})

test('signing out ends a session, at once on this relay and within two seconds on other relays', async () => {
  const [here, there] = [replica(), replica()]
  const cookie = await signIn(here)
  expect((await there('GET', '/messages', { cookie })).status).toBe(200)
  const { status, headers } = await here('DELETE', '/session', { cookie, origin: 'http://sms.example' })
  expect(status).toBe(204)
  expect(headers['set-cookie']).toMatch(/^smsgw_session=; Path=\/; Max-Age=0;/)
  expect((await here('GET', '/messages', { cookie })).status).toBe(401)
  nowMs += 2_000
  expect((await there('GET', '/messages', { cookie })).status).toBe(401)
})

test('a new password ends every session of its account, but no session of another account', async () => {
  const ask = replica()
  const cookie = await signIn(ask)
  await changePassword(
    { ...world, box, clock },
    { id: accountId, username },
    { password: 'a new one!', keepTokens: true },
  )
  nowMs += 2_000
  expect((await ask('GET', '/messages', { cookie })).status).toBe(401)
  username = `${username}b`
  await createAccount({ ...world, random, box }, credentials())
  expect((await ask('GET', '/messages', { cookie: await signIn(ask) })).status).toBe(200)
})

test('removing an account ends its sessions', async () => {
  const ask = replica()
  const cookie = await signIn(ask)
  await removeAccount(world.database, clock, accountId)
  nowMs += 2_000
  expect((await ask('GET', '/messages', { cookie })).status).toBe(401)
})

test('a session lasts thirty days from the last time the console was opened', async () => {
  const ask = replica()
  const [idle, used] = [await signIn(ask), await signIn(ask)]
  nowMs += 20 * DAY_MS
  expect((await ask('GET', '/session', { cookie: used })).headers['set-cookie']).toContain('Max-Age=2592000')
  nowMs += 10 * DAY_MS
  expect((await ask('GET', '/messages', { cookie: idle })).status).toBe(401)
  expect((await ask('GET', '/messages', { cookie: used })).status).toBe(200)
  nowMs += 20 * DAY_MS
  expect((await ask('GET', '/messages', { cookie: used })).status).toBe(401)
})

test('only ended sessions are deleted', async () => {
  const ask = replica()
  await signIn(ask)
  nowMs += 30 * DAY_MS + 1
  const living = await signIn(ask)
  await deleteEndedSessions({ ...world, clock })
  expect(await world.database.session.count({ where: { accountId } })).toBe(1)
  expect((await ask('GET', '/messages', { cookie: living })).status).toBe(200)
  await changePassword(
    { ...world, box, clock },
    { id: accountId, username },
    { password: 'a new one!', keepTokens: true },
  )
  await deleteEndedSessions({ ...world, clock })
  expect(await world.database.session.count({ where: { accountId } })).toBe(0)
})

test('an account keeps its hundred latest sessions', async () => {
  const ask = replica()
  const first = await signIn(ask)
  for (let count = 0; count < 100; count++) {
    nowMs += 1
    await signIn(ask)
  }
  expect(await world.database.session.count({ where: { accountId } })).toBe(100)
  nowMs += 2_000
  expect((await ask('GET', '/messages', { cookie: first })).status).toBe(401)
})

test('wrong passwords share the limit of Basic authentication', async () => {
  const ask = replica()
  const from = '203.0.113.50'
  const secure = { 'x-forwarded-proto': 'https', 'x-forwarded-for': from }
  const guess = (count: number) =>
    ask('POST', '/session', secure, { username, password: `guess ${count}` }, '10.0.0.1').then(({ status }) => status)
  for (let count = 0; count < 5; count++) expect(await guess(count)).toBe(401)
  for (let count = 5; count < 10; count++)
    expect(
      (
        await ask(
          'GET',
          '/messages',
          { ...secure, authorization: basic(username, `guess ${count}`) },
          undefined,
          '10.0.0.1',
        )
      ).status,
    ).toBe(401)
  const { status, headers } = await ask('POST', '/session', secure, credentials(), '10.0.0.1')
  expect([status, headers['retry-after']]).toEqual([429, '6'])
})

test('neither password nor session is accepted over plain HTTP from another machine', async () => {
  const ask = replica()
  const cookie = await signIn(ask)
  expect((await ask('POST', '/session', {}, credentials(), '203.0.113.9')).status).toBe(403)
  expect((await ask('GET', '/messages', { cookie }, undefined, '203.0.113.9')).status).toBe(403)
  expect((await replica({ isLocal: true })('GET', '/messages', { cookie }, undefined, '203.0.113.9')).status).toBe(200)
})

test('a page never gets a Basic challenge, which would make the browser open a password dialog', async () => {
  const ask = replica()
  const challenge = async (headers: Headers, path = '/messages', body?: object) => {
    const answer = await ask(body ? 'POST' : 'GET', path, headers, body)
    expect(answer.status).toBe(401)
    return answer.headers['www-authenticate']
  }
  const gone = `smsgw_session=${'A'.repeat(43)}`
  expect(await challenge({ 'sec-fetch-mode': 'cors' })).toBe('Bearer realm="smsgw"')
  expect(await challenge({ cookie: gone })).toBe('Bearer realm="smsgw"')
  expect(await challenge({ 'x-requested-with': 'console' })).toBe('Bearer realm="smsgw"')
  expect(await challenge({}, '/session')).toBe('Bearer realm="smsgw"')
  expect(await challenge({}, '/session', { username, password: 'wrong' })).toBe('Bearer realm="smsgw"')
  expect(await challenge({})).toContain('Basic realm=')
  expect(await challenge({ 'sec-fetch-mode': 'navigate' })).toContain('Basic realm=')
})

test.each(['', 'x', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}%`])('%s is not a session', async (token) => {
  const { status, body } = await replica()('GET', '/messages', { cookie: `smsgw_session=${token}` })
  expect(status).toBe(401)
  expect(body.message).toContain('Credentials required')
})
