import { scopes } from '@smsgw/contract/access/scopes'
import { tokenResponse } from '@smsgw/contract/access/token'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { changePassword } from '../../accounts/change-password.ts'
import { createAccount } from '../../accounts/create-account.ts'
import { removeAccount } from '../../accounts/remove-account.ts'
import { checkAnswer } from '../../http/answer/check-answer.ts'
import { buildServer } from '../../http/build-server.ts'
import { endpoint } from '../../http/endpoint.ts'
import { rootRoute, route } from '../../http/route.ts'
import type { LogbookEntry } from '../../logs/logbook.ts'
import { newId, systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import { localHints } from '../../testing/local-hints.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { buildAuth } from '../auth.ts'
import { replacePair } from './replace-pair-statement.ts'
import { revokeFamilyOf } from './revoke-family-statement.ts'
import { rotateSigningKeys } from './rotate-signing-keys.ts'
import { deleteExpiredTokens } from './token-endpoints.ts'
import { planPair } from './token-pair.ts'

const box = secretBox('a secret that is long enough to be one', systemRandom)
const random = systemRandom
const logbook = { entries: [] as LogbookEntry[], write: (entry: LogbookEntry) => void logbook.entries.push(entry) }
const world = useTestDatabase({ connections: 10 })
let nowMs: number
let username: string
let accountId: string
const clock = { now: () => new Date(nowMs) }

beforeAll(async () => {
  nowMs = Date.UTC(2026, 2, 1)
  await rotateSigningKeys({ ...world, box, clock, random, longestTokenSeconds: 30 * 86_400 })
})

let accounts = 0
beforeEach(async () => {
  nowMs = Date.UTC(2026, 2, 1)
  username = `user${accounts++}`
  accountId = (await createAccount({ ...world, random, box }, { username, password: 'right password' })) ?? ''
})

/** Returns a relay with the token endpoints and another endpoint to call. */
function replica({ isLocal = false, maxTtlSeconds = 86_400, allowInsecureHttp = false } = {}) {
  const auth = buildAuth({
    core: { ...world, hints: localHints(), box, clock, random, logbook },
    tokens: { issuer: 'smsgw', maxTtlSeconds, refreshTtlSeconds: 30 * 86_400 },
    ...{ isLocal, allowInsecureHttp, version: '1.2.3', observeLogin: () => undefined, hasVirtualPhone: false },
  })
  const whoAmI = endpoint({
    answers: { 200: null },
    handle: async ({ principal }) => ({ status: 200, body: principal.username }),
  })
  const routes = [
    route('POST', '/auth/token', 'tokens:manage', 'Issues', auth.issueToken),
    route('POST', '/auth/token/refresh', 'refresh token', 'Refreshes', auth.refreshToken),
    route('DELETE', '/auth/token/{jti}', 'tokens:manage', 'Revokes', auth.revokeToken),
    rootRoute('GET', '/.well-known/jwks.json', 'public', 'Keys', auth.publishKeys),
    rootRoute('GET', '/whoami', 'logs:read', 'Who', whoAmI),
  ]
  const log = { error: () => undefined, warn: () => undefined }
  const server = buildServer({
    ...auth,
    ...{ routes, log, checkAnswer: (route, answer) => route.path !== '/whoami' && checkAnswer(route, answer) },
    ...{ requestId: () => newId(random), trustedProxies: ['10.0.0.0/8'] },
  })
  const ask = async (method: 'GET' | 'POST' | 'DELETE', path: string, authorization?: string, body?: object) => {
    const url = path.startsWith('/auth') ? `/3rdparty/v1${path}` : path
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await server.inject({ method, url, headers, ...(body && { payload: body }) })
    return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? undefined : answer.json() }
  }
  return {
    server,
    ask,
    issue: (authorization: string, body: object) => ask('POST', '/auth/token', authorization, body),
    refresh: (token: string) => ask('POST', '/auth/token/refresh', `Bearer ${token}`),
    revoke: (authorization: string, jti: string) => ask('DELETE', `/auth/token/${jti}`, authorization),
    whoAmI: (token: string) => ask('GET', '/whoami', `Bearer ${token}`).then(({ status }) => status),
  }
}

const basic = (name = username, password = 'right password') =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

test('a token matches the contract, in both spellings', async () => {
  const relay = replica()
  const { status, body } = await relay.issue(basic(), {
    ttl: 600,
    scopes: ['messages:send', 'inbox:read', 'messages:send'],
  })
  expect(status).toBe(201)
  expect(tokenResponse.parse(body)).toBeTruthy()
  expect(body).toMatchObject({ token_type: 'Bearer', expires_at: '2026-03-01T00:10:00.000Z' })
  expect([body.accessToken, body.refreshToken, body.tokenType, body.expiresAt]).toEqual([
    body.access_token,
    body.refresh_token,
    body.token_type,
    body.expires_at,
  ])
  const { body: jwks } = await relay.ask('GET', '/.well-known/jwks.json')
  expect(decodeProtectedHeader(body.access_token)).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: jwks.keys[0].kid })
  expect(decodeJwt(body.access_token)).toEqual({
    ...{ iss: 'smsgw', aud: 'smsgw:api', sub: accountId, jti: body.id },
    ...{ iat: nowMs / 1000, exp: nowMs / 1000 + 600, scopes: ['messages:send', 'inbox:read'] },
  })
})

test.each([
  [{ scopes: ['all:any'] }, 3_600],
  [{ scopes: ['all:any'], ttl: null }, 3_600],
  [{ scopes: ['all:any'], ttl: 0 }, 7_200],
  [{ scopes: ['all:any'], ttl: 60 }, 60],
  [{ scopes: ['all:any'], ttl: 7_201 }, 7_200],
  [{ scopes: ['all:any'], ttl: 999_999_999 }, 7_200],
])('%j results in %i seconds when 7200 are allowed', async (request, seconds) => {
  const { body } = await replica({ maxTtlSeconds: 7_200 }).issue(basic(), request)
  expect(Date.parse(body.expires_at)).toBe(nowMs + seconds * 1000)
  expect(decodeJwt(body.access_token).exp).toBe(nowMs / 1000 + seconds)
})

test.each([
  [{ scopes: ['all:any'], ttl: 1 }, 'ttl'],
  [{ scopes: ['all:any'], ttl: 59 }, 'ttl'],
  [{ scopes: ['all:any'], ttl: -1 }, 'ttl'],
  [{ scopes: ['all:any'], ttl: 3_600.5 }, 'ttl'],
  [{ scopes: ['all:any'], ttl: '3600' }, 'ttl'],
  [{ scopes: [] }, 'scopes'],
  [{}, 'scopes'],
  [{ scopes: 'all:any' }, 'scopes'],
  [{ scopes: ['all:any', 'tokens:refresh'] }, 'tokens:refresh'],
  [{ scopes: ['messages:sent'] }, 'messages:sent'],
])('%j is refused with an error about %s', async (request, word) => {
  const { status, body } = await replica().issue(basic(), request)
  expect(status).toBe(400)
  expect(JSON.stringify(body)).toContain(word)
})

test('a token can grant only scopes that it has itself', async () => {
  const relay = replica()
  const { body: manager } = await relay.issue(basic(), { scopes: ['tokens:manage', 'messages:send'] })
  const bearer = `Bearer ${manager.access_token}`
  expect((await relay.issue(bearer, { scopes: ['messages:send'] })).status).toBe(201)
  for (const scope of scopes.filter((name) => !['tokens:manage', 'messages:send'].includes(name))) {
    const { status, body } = await relay.issue(bearer, { scopes: ['messages:send', scope] })
    expect([status, body.message]).toEqual([403, `scope required: ${scope}`])
  }
  const { body: everything } = await relay.issue(basic(), { scopes: ['all:any'] })
  expect((await relay.issue(`Bearer ${everything.access_token}`, { scopes: ['all:any'] })).status).toBe(201)
})

test('a refreshed pair has the same scopes and lifetime, and the old access token stays valid', async () => {
  const relay = replica()
  const { body: first } = await relay.issue(basic(), { ttl: 600, scopes: ['logs:read'] })
  nowMs += 60_000
  const { status, body: second } = await relay.refresh(first.refresh_token)
  expect(status).toBe(201)
  expect(second.id).not.toBe(first.id)
  expect(second.expires_at).toBe('2026-03-01T00:11:00.000Z')
  expect(decodeJwt(second.access_token)['scopes']).toEqual(['logs:read'])
  expect(await relay.whoAmI(first.access_token)).toBe(200)
  expect(await relay.whoAmI(second.access_token)).toBe(200)
})

test('a refresh token that is used twice revokes its family', async () => {
  const relay = replica()
  const { body: other } = await relay.issue(basic(), { scopes: ['logs:read'] })
  const { body: first } = await relay.issue(basic(), { scopes: ['logs:read'] })
  const { body: second } = await relay.refresh(first.refresh_token)
  const { body: third } = await relay.refresh(second.refresh_token)
  expect(await relay.whoAmI(third.access_token)).toBe(200)
  expect((await relay.refresh(first.refresh_token)).status).toBe(401)
  for (const pair of [first, second, third]) expect(await relay.whoAmI(pair.access_token)).toBe(401)
  expect((await relay.refresh(third.refresh_token)).status).toBe(401)
  expect(logbook.entries.at(-1)).toMatchObject({ accountId, priority: 'WARN', context: { address: '127.0.0.1' } })
  expect(await relay.whoAmI(other.access_token)).toBe(200)
})

test('exactly one of several concurrent refreshes on two relays succeeds', async () => {
  const relays = [replica(), replica()]
  for (let round = 0; round < 10; round++) {
    const { body } = await replica().issue(basic(), { scopes: ['logs:read'] })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => relays[index % 2]?.refresh(body.refresh_token)),
    )
    expect(answers.map((answer) => answer?.status).sort()).toEqual([201, ...Array(7).fill(401)])
  }
})

test('revoking a token ends the tokens refreshed from it, at once on this relay and within two seconds on other relays', async () => {
  const [here, elsewhere] = [replica(), replica()]
  const { body: first } = await here.issue(basic(), { scopes: ['logs:read'] })
  const { body: second } = await here.refresh(first.refresh_token)
  for (const relay of [here, elsewhere]) expect(await relay.whoAmI(second.access_token)).toBe(200)
  expect((await here.revoke(basic(), first.id)).status).toBe(204)
  expect(await here.whoAmI(second.access_token)).toBe(401)
  expect((await here.refresh(second.refresh_token)).status).toBe(401)
  nowMs += 2_000
  expect(await elsewhere.whoAmI(second.access_token)).toBe(401)
})

test('an access token is not accepted as a refresh token, nor a refresh token as an access token', async () => {
  const relay = replica()
  const { body } = await relay.issue(basic(), { scopes: ['all:any'] })
  expect(await relay.whoAmI(body.refresh_token)).toBe(401)
  expect((await relay.refresh(body.access_token)).status).toBe(401)
})

test('an access token, or a token revoked after its check, cannot be refreshed', async () => {
  const { body } = await replica().issue(basic(), { scopes: ['logs:read'] })
  const { jti: refreshId = '' } = decodeJwt(body.refresh_token)
  const pair = planPair(
    { clock, random, maxTtlSeconds: 600, refreshTtlSeconds: 600 },
    { accountId, scopes: ['logs:read'], ttl: 60, notAfter: undefined },
  )
  expect(await replacePair(world.database, body.id, pair)).toBe(false)
  await revokeFamilyOf(world.database, { accountId, jti: body.id }, clock.now())
  expect(await replacePair(world.database, refreshId, pair)).toBe(false)
})

test('a refresh during a revocation leaves no valid token', async () => {
  const relay = replica()
  for (let round = 0; round < 10; round++) {
    const { body: first } = await relay.issue(basic(), { scopes: ['logs:read'] })
    const [refreshed] = await Promise.all([relay.refresh(first.refresh_token), relay.revoke(basic(), first.id)])
    const token = refreshed.body.access_token ?? first.access_token
    expect(await relay.whoAmI(token)).toBe(401)
  }
})

test('revoking an unknown token, or a token of another account, answers 204 and changes nothing', async () => {
  const relay = replica()
  const { body } = await relay.issue(basic(), { scopes: ['logs:read'] })
  await createAccount({ ...world, random, box }, { username: `${username}.other`, password: 'right password' })
  for (const jti of [body.id, 'unknown', 'x'.repeat(500), '%F0%9F%98%80'])
    expect((await relay.revoke(basic(`${username}.other`), jti)).status).toBe(204)
  expect(await relay.whoAmI(body.access_token)).toBe(200)
})

test('tokens end with a password change, unless the change keeps them', async () => {
  const relay = replica()
  const account = { id: accountId, username }
  const { body: kept } = await relay.issue(basic(), { scopes: ['logs:read'] })
  await changePassword({ ...world, box, clock }, account, { password: 'new password', keepTokens: true })
  nowMs += 2_000
  expect(await relay.whoAmI(kept.access_token)).toBe(200)
  await changePassword({ ...world, box, clock }, account, { password: 'newer password', keepTokens: false })
  nowMs += 2_000
  expect(await relay.whoAmI(kept.access_token)).toBe(401)
})

test('a relay that has not yet noticed a revocation issues no token for the revoked credentials', async () => {
  const relay = replica()
  const manage = { scopes: ['tokens:manage'] }
  const { body: manager } = await relay.issue(basic(), manage)
  expect((await relay.issue(`Bearer ${manager.access_token}`, manage)).status).toBe(201)
  await changePassword(
    { ...world, box, clock },
    { id: accountId, username },
    { password: 'new password', keepTokens: false },
  )
  expect((await relay.issue(basic(), manage)).status).toBe(401)
  expect((await relay.issue(`Bearer ${manager.access_token}`, manage)).status).toBe(401)
  expect(await world.database.tokenFamily.count({ where: { accountId, revokedAt: null } })).toBe(0)
})

test('tokens end when their account is removed', async () => {
  const relay = replica()
  const { body } = await relay.issue(basic(), { scopes: ['all:any'] })
  expect(await relay.whoAmI(body.access_token)).toBe(200)
  await removeAccount(world.database, clock, accountId)
  nowMs += 2_000
  expect(await relay.whoAmI(body.access_token)).toBe(401)
  expect((await relay.refresh(body.refresh_token)).status).toBe(401)
})

test('a token expires at its expires_at', async () => {
  const relay = replica()
  const { body } = await relay.issue(basic(), { ttl: 60, scopes: ['logs:read'] })
  for (const [seconds, status] of [
    [1, 200],
    [59, 200],
    [60, 401],
  ] as const) {
    nowMs = Date.UTC(2026, 2, 1, 0, 0, seconds)
    expect(await relay.whoAmI(body.access_token)).toBe(status)
  }
})

test('expired tokens are deleted, except those that can still be refreshed', async () => {
  const relay = replica()
  const { body: idle } = await relay.issue(basic(), { ttl: 60, scopes: ['logs:read'] })
  let { body: pair } = await relay.issue(basic(), { ttl: 60, scopes: ['logs:read'] })
  for (let day = 0; day < 40; day++) {
    nowMs += 86_400_000
    ;({ body: pair } = await relay.refresh(pair.refresh_token))
  }
  await deleteExpiredTokens({ ...world, clock })
  expect((await relay.refresh(idle.refresh_token)).status).toBe(401)
  expect(await relay.whoAmI(pair.access_token)).toBe(200)
  expect(await world.database.tokenFamily.count({ where: { accountId } })).toBe(1)
  expect(await world.database.token.count({ where: { accountId } })).toBeLessThan(40)
})

test('in Local Server mode there are no tokens: its endpoints answer 501, and any bearer token gets 401', async () => {
  const { body } = await replica().issue(basic(), { scopes: ['all:any'] })
  const box = replica({ isLocal: true })
  for (const authorization of [undefined, basic(), basic(username, 'wrong'), `Bearer ${body.access_token}`]) {
    expect((await box.ask('POST', '/auth/token', authorization)).status).toBe(501)
    expect((await box.ask('POST', '/auth/token/refresh', authorization)).status).toBe(501)
    expect((await box.ask('DELETE', '/auth/token/x', authorization)).status).toBe(501)
  }
  const refused = await box.ask('GET', '/whoami', `Bearer ${body.access_token}`)
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Basic realm="smsgw", charset="UTF-8"'])
  expect((await box.ask('GET', '/whoami', basic())).status).toBe(200)
  expect((await box.ask('GET', '/.well-known/jwks.json')).body).toEqual({ keys: [] })
})

test('every 401 has a challenge', async () => {
  const relay = replica()
  const challengeFor = async (authorization?: string) => {
    const { status, headers } = await relay.ask('GET', '/whoami', authorization)
    return [status, headers['www-authenticate']]
  }
  const both = 'Basic realm="smsgw", charset="UTF-8", Bearer realm="smsgw"'
  expect(await challengeFor()).toEqual([401, both])
  expect(await challengeFor('Digest x')).toEqual([401, both])
  expect(await challengeFor('Basic !')).toEqual([401, both])
  expect(await challengeFor(basic(username, 'wrong password'))).toEqual([401, 'Basic realm="smsgw", charset="UTF-8"'])
  expect(await challengeFor('Bearer x.y.z')).toEqual([401, 'Bearer realm="smsgw", error="invalid_token"'])
})

test.each([
  ['this machine', '127.0.0.1', {}, 200],
  ['this machine, by IPv6', '::1', {}, 200],
  ['the network', '203.0.113.7', {}, 403],
  ['the network, which claims to be TLS', '203.0.113.7', { 'x-forwarded-proto': 'https' }, 403],
  [
    'a trusted proxy that ended TLS',
    '10.0.0.1',
    { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' },
    200,
  ],
  ['a trusted proxy without TLS', '10.0.0.1', { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'http' }, 403],
])('plain HTTP from %s', async (_, remoteAddress, headers, status) => {
  const ask = (relay: ReturnType<typeof replica>, authorization: string) =>
    relay.server.inject({ url: '/whoami', remoteAddress, headers: { ...headers, authorization } })
  const answer = await ask(replica(), basic())
  expect(answer.statusCode).toBe(status)
  if (status === 403) expect(answer.json().message).toContain('HTTPS')
  // Plain HTTP is refused before the password is checked, so a wrong password gets 403 as well, and not 401.
  expect((await ask(replica(), basic(username, 'wrong password'))).statusCode).toBe(status === 200 ? 401 : 403)
  expect((await ask(replica({ allowInsecureHttp: true }), basic())).statusCode).toBe(200)
  expect((await ask(replica({ isLocal: true }), basic())).statusCode).toBe(200)
})

test('plain HTTP without credentials gets the usual 401', async () => {
  const answer = await replica().server.inject({ url: '/whoami', remoteAddress: '203.0.113.7' })
  expect(answer.statusCode).toBe(401)
})
