// Calls every operation in the OpenAPI document with every kind of credentials.
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { explicitScopes, type Scope, scopes } from '@smsgw/contract/access/scopes'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { systemRandom } from '../random.ts'
import { secretBox } from '../store/secret-box.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { newKey } from './keys/key-text.ts'
import { needed } from './testing/needed-scopes.ts'
import { SigningKeys } from './tokens/signing-keys.ts'

const operations = Object.entries(needed).map(([name, access]) => ({ name, access }))
const isAboutTokens = (name: string) => name.includes('/auth/') || name.endsWith('/tokens')
const guarded = operations.filter(({ access }) => access !== 'public' && access !== 'refresh token')

const SERVER_SECRET = 'kJ8sn3Vx91mQpZt7bRwYcLd4HfGaEu2q'
const settings = { SERVER_SECRET, TRUSTED_PROXIES: '127.0.0.1' }
let relay: TestRelay
let local: TestRelay
const clock = { aheadMs: 0, now: () => new Date(Date.now() + clock.aheadMs) }

beforeAll(async () => {
  ;[relay, local] = await Promise.all([testRelay({ settings, clock }), testRelay({ settings, isLocal: true })])
})
afterAll(() => Promise.all([relay.close(), local.close()]))

let callers = 0

/**
 * Calls an operation. Each call comes from a different address, so that no call is throttled. The ids are unknown and
 * the bodies are empty.
 */
async function statusOf(where: TestRelay, name: string, auth: string | null): Promise<number> {
  const [method = '', path = ''] = name
    .replace('{file}', 'docs.js')
    .replace(/\{\w+\}/g, 'nothing-here')
    .split(' ')
  callers += 1
  const proxy = { 'x-forwarded-for': `10.1.${callers >> 8}.${callers & 255}`, 'x-forwarded-proto': 'https' }
  const { status, json } = await where.request(method, path, { auth, headers: proxy })
  if (status === 403) expect(json.message).toMatch(/^scope required: |^A token or an API key may not do this/)
  return status
}

/** Returns the status of each operation by its name, so that a failed comparison names the operation. */
async function answers(where: TestRelay, auth: string | null, which: readonly { name: string }[] = guarded) {
  const rows = await Promise.all(which.map(async ({ name }) => [name, await statusOf(where, name, auth)] as const))
  return Object.fromEntries(rows)
}

const all = (status: number, which: readonly { name: string }[] = guarded) =>
  Object.fromEntries(which.map(({ name }) => [name, status]))

async function pair(requested: readonly Scope[] = ['all:any'], ttl = 3_600) {
  const { status, json } = await relay.api('POST', '/auth/token', { body: { scopes: requested, ttl } })
  expect(status).toBe(201)
  return json as { id: string; access_token: string; refresh_token: string }
}

test('the matrix lists every operation with its scope', async () => {
  const { json: document } = await relay.request('GET', '/openapi.json')
  const described: Record<string, unknown> = {}
  for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, Operation>>))
    for (const [method, { security }] of Object.entries(methods))
      described[`${method.toUpperCase()} ${path}`] = accessOf(security)
  expect(described).toEqual(needed)
})

function accessOf(security: Operation['security']): unknown {
  const bearers = security.flatMap(({ bearer }) => (bearer === undefined ? [] : [bearer]))
  if (bearers.length === 0)
    return security[0]?.refreshToken ? 'refresh token' : security[0]?.basic ? 'no token' : 'public'
  const [first, second] = bearers.flat()
  if (first === undefined) return 'any scope'
  return second === undefined ? first : bearers.flat()
}

interface Operation {
  readonly security: readonly { readonly [scheme in 'basic' | 'bearer' | 'refreshToken']?: string[] }[]
}

const wrong = {
  none: null,
  'an empty header': '',
  'another scheme': 'Digest username="sms"',
  'a wrong password': `Basic ${Buffer.from('sms:wrong password').toString('base64')}`,
  'no colon': `Basic ${Buffer.from('sms').toString('base64')}`,
  'no token': 'Bearer ',
  'a malformed token': 'Bearer abc.def.ghi',
}

test.each(Object.entries(wrong))('every operation answers 401 for %s', async (_, auth) => {
  expect(await answers(relay, auth)).toEqual(all(401))
  expect(await statusOf(relay, 'POST /3rdparty/v1/auth/token/refresh', auth)).toBe(401)
  const inLocalMode = guarded.filter(({ name }) => !isAboutTokens(name))
  expect(await answers(local, auth, inLocalMode)).toEqual(all(401, inLocalMode))
})

test('other spellings of a path are protected too', async () => {
  const spellings = guarded.flatMap(({ name }) => {
    const [method = '', path = ''] = name.split(' ')
    const older = path.replace(/(messages|devices|webhooks)/, (plural) => plural.slice(0, -1))
    const prefixed = [`/api${path}`, `/api${older}/`].filter((spelling) => spelling.startsWith('/api/3rdparty'))
    const paths = [`${path}/`, `${path}?`, older, ...prefixed]
    return [...paths.map((spelling) => `${method} ${spelling}`), ...(method === 'GET' ? [`HEAD ${path}`] : [])]
  })
  const which = spellings.map((name) => ({ name }))
  expect(await answers(relay, null, which)).toEqual(all(401, which))
})

test.each(Object.entries(wrong))('public operations ignore credentials: %s', async (_, auth) => {
  // Signing in is left out, because its credentials are in the body.
  const open = operations.filter(({ name, access }) => access === 'public' && !name.startsWith('POST'))
  // The health check answers 503 if the database of a busy machine needs more than two seconds.
  await expect.poll(() => answers(relay, auth, open)).toEqual(all(200, open))
})

test('a password allows every operation', async () => {
  for (const status of Object.values(await answers(relay, relay.account.basic)))
    expect([401, 403, 501]).not.toContain(status)
})

test.each(scopes)('a token with %s allows only the operations of this scope', async (scope) => {
  const token = `Bearer ${(await pair([scope])).access_token}`
  const expected = Object.fromEntries(guarded.map(({ name, access }) => [name, isOpenTo(scope, access) ? 'open' : 403]))
  const got = Object.entries(await answers(relay, token)).map(([name, status]) => [
    name,
    [401, 403, 429, 500, 501, 503].includes(status) ? status : 'open',
  ])
  expect(Object.fromEntries(got)).toEqual(expected)
})

test.each(scopes)('an API key with %s allows only the operations of this scope, in both modes', async (scope) => {
  for (const where of [relay, local]) {
    const key = `Bearer ${await apiKey(where, [scope])}`
    const which = where === local ? guarded.filter(({ name }) => !isAboutTokens(name)) : guarded
    const expected = Object.fromEntries(
      which.map(({ name, access }) => [name, isOpenToKey(scope, access) ? 'open' : 403]),
    )
    const got = Object.entries(await answers(where, key, which)).map(([name, status]) => [
      name,
      [401, 403, 429, 500, 501, 503].includes(status) ? status : 'open',
    ])
    expect(Object.fromEntries(got)).toEqual(expected)
  }
})

async function apiKey(where: TestRelay, scopes: readonly Scope[]): Promise<string> {
  const { status, json } = await where.api('POST', '/keys', { body: { name: 'matrix', scopes } })
  expect(status).toBe(201)
  return json.key
}

function isOpenToKey(scope: Scope, access: (typeof guarded)[number]['access']): boolean {
  const isExplicit = [access].flat().every((one) => (explicitScopes as readonly string[]).includes(one))
  return scope === 'all:any' && isExplicit ? false : isOpenTo(scope, access)
}

function isOpenTo(scope: Scope, access: (typeof guarded)[number]['access']): boolean {
  return (scope === 'all:any' && access !== 'no token') || access === 'any scope' || [access].flat().includes(scope)
}

/** Invalid tokens. Each is a valid token with a single change, which must be the reason for its refusal. */
const bad: Readonly<Record<string, () => Promise<string>>> = {
  'an expired token': async () => {
    const { access_token: token } = await pair(['all:any'], 60)
    // Uses a token that has already expired. The clock is not advanced, because this would also affect the other
    // tokens.
    return forge(token, { claims: { exp: Math.floor(Date.now() / 1000) - 1 } })
  },
  'a revoked token': async () => {
    const { id, access_token: token } = await pair()
    expect((await relay.api('DELETE', `/auth/token/${id}`)).status).toBe(204)
    return token
  },
  'a token whose family was revoked': async () => {
    const first = await pair()
    const { json: second } = await relay.api('POST', '/auth/token/refresh', { auth: `Bearer ${first.refresh_token}` })
    expect((await relay.api('DELETE', `/auth/token/${first.id}`)).status).toBe(204)
    return second.access_token
  },
  'a token from another issuer': async () =>
    forge((await pair()).access_token, { claims: { iss: 'https://else.example' } }),
  'a token for another audience': async () => forge((await pair()).access_token, { claims: { aud: 'smsgw:else' } }),
  'a token of another account': async () => {
    const { id } = await relay.addAccount()
    return forge((await pair()).access_token, { claims: { sub: id } })
  },
  'a token that was never issued': async () => forge((await pair()).access_token, { claims: { jti: 'A'.repeat(21) } }),
  'a token without expiry': async () => forge((await pair()).access_token, { claims: { exp: undefined } }),
  'a token of another type': async () => forge((await pair()).access_token, { header: { typ: 'JWT' } }),
  'a refresh token': async () => (await pair()).refresh_token,
  'a token without a signature': async () => {
    const [, claims] = (await pair()).access_token.split('.')
    return `${encode({ alg: 'none', typ: 'at+jwt' })}.${claims}.`
  },
  'a token signed with HMAC and our public key': async () => {
    const { access_token: token } = await pair()
    const { kid, publicKey } = await signer()
    const content = `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${token.split('.')[1]}`
    const secret = publicKey.export({ type: 'spki', format: 'pem' })
    return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
  },
  'a token whose header says HMAC, with our signature': async () => {
    const [, claims, signature] = (await pair()).access_token.split('.')
    return `${encode({ alg: 'HS256', typ: 'at+jwt', kid: (await signer()).kid })}.${claims}.${signature}`
  },
  'a token signed with a foreign key under our key id': async () =>
    forge((await pair()).access_token, { key: generateKeyPairSync('ed25519').privateKey }),
  'a token that contains its own key': async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const jwk = publicKey.export({ format: 'jwk' })
    return forge((await pair()).access_token, { key: privateKey, header: { jwk, kid: 'mine' } })
  },
  'an API key that was revoked': async () => {
    const { json } = await relay.api('POST', '/keys', { body: { name: 'revoked', scopes: ['all:any'] } })
    expect((await relay.api('DELETE', `/keys/${json.id}`)).status).toBe(204)
    return json.key
  },
  'an API key with another secret': async () => {
    const { json } = await relay.api('POST', '/keys', { body: { name: 'guessed', scopes: ['all:any'] } })
    return newKey(systemRandom, json.id)
  },
  'an API key of another database': async () =>
    (await local.api('POST', '/keys', { body: { name: 'x', scopes: ['all:any'] } })).json.key,
  'a token of an API key that was revoked': async () => {
    const { json } = await relay.api('POST', '/keys', { body: { name: 'x', scopes: ['all:any', 'tokens:manage'] } })
    const auth = `Bearer ${json.key}`
    const { json: made } = await relay.api('POST', '/auth/token', { auth, body: { scopes: ['logs:read'] } })
    expect((await relay.api('DELETE', `/keys/${json.id}`)).status).toBe(204)
    return made.access_token
  },
  'a token whose scopes were changed': async () => {
    const [head, claims, signature] = (await pair(['logs:read'])).access_token.split('.')
    return `${head}.${encode({ ...decode(claims), scopes: ['all:any'] })}.${signature}`
  },
}

test('a token that is signed again without a change is accepted, which shows that the other tokens fail because of their change', async () => {
  expect(await statusOf(relay, 'GET /3rdparty/v1/logs', `Bearer ${await forge((await pair()).access_token, {})}`)).toBe(
    200,
  )
})

test.each(Object.entries(bad))('every operation answers 401 for an invalid token: %s', async (_, make) => {
  const token = `Bearer ${await make()}`
  expect(await answers(relay, token)).toEqual(all(401))
})

test('a refresh answers 401 without a refresh token', async () => {
  const refresh = async (auth: string) => statusOf(relay, 'POST /3rdparty/v1/auth/token/refresh', auth)
  expect(await refresh(relay.account.basic)).toBe(401)
  for (const [name, make] of Object.entries(bad))
    if (name !== 'a refresh token') expect([name, await refresh(`Bearer ${await make()}`)]).toEqual([name, 401])
  const { access_token: access, refresh_token: token } = await pair()
  expect(await refresh(`Bearer ${access}`)).toBe(401)
  expect(await refresh(`Bearer ${await forge(token, { claims: { exp: 1 } })}`)).toBe(401)
  expect(await refresh(`Bearer ${await forge(token, { claims: { aud: 'smsgw:api' } })}`)).toBe(401)
  expect(await refresh(`Bearer ${await forge(token, { header: { typ: 'at+jwt' } })}`)).toBe(401)
  expect(await refresh(`Bearer ${await forge(token, { key: generateKeyPairSync('ed25519').privateKey })}`)).toBe(401)
  expect(await refresh(`Bearer ${token}`)).toBe(201)
})

test('a token expires', async () => {
  const { access_token: token, refresh_token: refresh } = await pair(['logs:read'], 60)
  expect(await statusOf(relay, 'GET /3rdparty/v1/logs', `Bearer ${token}`)).toBe(200)
  clock.aheadMs = 61_000
  expect(await statusOf(relay, 'GET /3rdparty/v1/logs', `Bearer ${token}`)).toBe(401)
  clock.aheadMs = 31 * 86_400_000
  expect(await statusOf(relay, 'POST /3rdparty/v1/auth/token/refresh', `Bearer ${refresh}`)).toBe(401)
  clock.aheadMs = 0
})

test('in Local Server mode a password allows everything except tokens, and tokens allow nothing', async () => {
  const tokens = operations.filter(({ name }) => isAboutTokens(name))
  const others = guarded.filter(({ name }) => !isAboutTokens(name))
  const { access_token: token } = await pair()
  for (const auth of [null, 'Basic !', local.account.basic, `Bearer ${token}`])
    expect(await answers(local, auth, tokens)).toEqual(all(501, tokens))
  expect(await answers(local, `Bearer ${token}`, others)).toEqual(all(401, others))
  for (const status of Object.values(await answers(local, local.account.basic, others)))
    expect([401, 403, 501]).not.toContain(status)
})

function signer() {
  const box = secretBox(SERVER_SECRET, systemRandom)
  return new SigningKeys({ database: relay.database, box, clock: systemClock }).signer()
}

interface Change {
  readonly claims?: object
  readonly header?: object
  readonly key?: Awaited<ReturnType<typeof signer>>['privateKey']
}

/** Returns the token with changes, signed again. Uses the key of the relay unless another key is given. */
async function forge(token: string, { claims, header, key }: Change): Promise<string> {
  const [head, body] = token.split('.')
  return new SignJWT({ ...decode(body), ...claims })
    .setProtectedHeader({ ...decode(head), ...header } as { alg: string })
    .sign(key ?? (await signer()).privateKey)
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function decode(part = ''): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}
