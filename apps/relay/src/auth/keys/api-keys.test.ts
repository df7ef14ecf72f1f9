import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeAccount } from '../../accounts/remove-account.ts'
import { systemRandom } from '../../random.ts'
import { type TestAccount, type TestRelay, testRelay } from '../../testing/test-relay.ts'
import { idOfKey, newKey } from './key-text.ts'

const clock = { aheadMs: 0, now: () => new Date(Date.now() + clock.aheadMs) }
let relay: TestRelay
let local: TestRelay
beforeAll(async () => {
  ;[relay, local] = await Promise.all([testRelay({ clock }), testRelay({ isLocal: true })])
})
afterAll(() => Promise.all([relay.close(), local.close()]))

interface Created {
  readonly id: string
  readonly key: string
}

async function create(body: object = {}, where = relay, auth = where.account.basic): Promise<Created> {
  const request = { name: 'door bell', scopes: ['logs:read'], ...body }
  const { status, json } = await where.api('POST', '/keys', { auth, body: request })
  expect([status, json.message]).toEqual([201, undefined])
  return json
}

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
const statusWith = async (key: string, path = '/logs', where = relay) =>
  (await where.api('GET', path, { auth: `Bearer ${key}` })).status

test('a key is accepted as bearer token, as Basic password with any username, and in X-API-Key, in both modes', async () => {
  for (const where of [relay, local]) {
    const { key } = await create({}, where)
    const ways = [
      { auth: `Bearer ${key}` },
      { auth: basic('anybody', key) },
      { auth: basic('', key) },
      { auth: null, headers: { 'x-api-key': key } },
    ]
    for (const way of ways) expect((await where.api('GET', '/logs', way)).status).toBe(200)
    for (const way of ways) expect((await where.api('GET', '/messages', way)).status).toBe(403)
  }
})

test('a key is shown once, and only its keyed hash is stored', async () => {
  const { id, key } = await create({ name: 'shown once' })
  expect(idOfKey(key)).toBe(id)
  expect(key).toMatch(/^smsgw_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/)
  const secret = key.split('_').at(-1) ?? ''
  for (const path of ['/keys', `/keys/${id}`]) {
    const { text } = await relay.api('GET', path)
    expect(text).toContain(`smsgw_live_${id}_`)
    expect(text).not.toContain(secret)
  }
  const row = await relay.database.apiKey.findUniqueOrThrow({ where: { id } })
  expect(JSON.stringify(row)).not.toContain(secret.slice(0, 12))
})

test('logs and the log of the account never contain a key', async () => {
  const { key } = await create({ name: 'logged', scopes: ['all:any'] })
  const wrong = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
  for (const text of [key, wrong])
    for (const way of [
      { auth: `Bearer ${text}` },
      { auth: basic('x', text) },
      { auth: null, headers: { 'x-api-key': text } },
    ])
      await relay.api('POST', '/messages', { ...way, body: { phoneNumbers: ['nonsense'] } })
  const log = async () => (await relay.api('GET', '/logs')).text
  const secret = key.split('_').at(-1)?.slice(0, 30) ?? key
  await expect.poll(log).toContain('API key created')
  const text = await log()
  expect([text, ...relay.logged].join('\n')).not.toContain(secret)
})

test('the last use is listed, to the minute, with the address', async () => {
  const { id, key } = await create({ name: 'used' })
  expect((await relay.api('GET', `/keys/${id}`)).json.lastUsedAt).toBeUndefined()
  expect(await statusWith(key)).toBe(200)
  await expect
    .poll(async () => (await relay.api('GET', `/keys/${id}`)).json)
    .toMatchObject({
      lastUsedAt: expect.stringMatching(/:00\.000Z$/),
      lastUsedFrom: '127.0.0.1',
    })
})

test('a rotated key and the previous key are both valid for the chosen time', async () => {
  const { id, key } = await create({ name: 'rotated' })
  const { status, json } = await relay.api('POST', `/keys/${id}/rotate`, { body: { overlapSeconds: 3_600 } })
  expect([status, json.id]).toEqual([200, id])
  expect(json.previousValidUntil).toBeDefined()
  expect([await statusWith(key), await statusWith(json.key)]).toEqual([200, 200])
  clock.aheadMs = 3_601_000
  expect([await statusWith(key), await statusWith(json.key)]).toEqual([401, 200])
  clock.aheadMs = 0
  const { json: third } = await relay.api('POST', `/keys/${id}/rotate`, { body: { overlapSeconds: 0 } })
  expect([await statusWith(json.key), await statusWith(third.key)]).toEqual([401, 200])
  expect(third.previousValidUntil).toBeUndefined()
})

test('a rotation without a body keeps the previous key for a day', async () => {
  const { id } = await create({ name: 'rotated by default' })
  const { json } = await relay.api('POST', `/keys/${id}/rotate`)
  const hours = (Date.parse(json.previousValidUntil) - Date.parse(json.rotatedAt)) / 3_600_000
  expect(hours).toBe(24)
})

test('a revoked key and its tokens are refused, and the key stays in the list', async () => {
  const { id, key } = await create({ name: 'revoked', scopes: ['logs:read', 'tokens:manage'] })
  const { json: pair } = await relay.api('POST', '/auth/token', {
    auth: `Bearer ${key}`,
    body: { scopes: ['logs:read'] },
  })
  expect([await statusWith(key), await statusWith(pair.access_token)]).toEqual([200, 200])
  expect((await relay.api('DELETE', `/keys/${id}`)).status).toBe(204)
  expect([await statusWith(key), await statusWith(pair.access_token)]).toEqual([401, 401])
  const refresh = await relay.api('POST', '/auth/token/refresh', { auth: `Bearer ${pair.refresh_token}` })
  expect(refresh.status).toBe(401)
  const listed = (await relay.api('GET', '/keys')).json.find((one: Created) => one.id === id)
  expect(listed).toMatchObject({ state: 'revoked', revokedAt: expect.any(String) })
  for (const [method, path, body] of [
    ['POST', `/keys/${id}/rotate`, undefined],
    ['PATCH', `/keys/${id}`, { name: 'again' }],
  ] as const)
    expect((await relay.api(method, path, { ...(body && { body }) })).status).toBe(409)
  expect((await relay.api('DELETE', `/keys/${id}`)).status).toBe(204)
})

test('revoking an unknown key or a key of another account is answered with 404, and a repeated revocation with 204', async () => {
  const other = await relay.addAccount()
  const { id } = await create()
  const foreign = await relay.api('DELETE', `/keys/${id}`, { auth: other.basic })
  const mistyped = await relay.api('DELETE', '/keys/aaaaaaaaaaaa')
  expect([foreign.status, mistyped.status, mistyped.json.message]).toEqual([404, 404, 'No API key has this id'])
  for (let round = 0; round < 2; round += 1) expect((await relay.api('DELETE', `/keys/${id}`)).status).toBe(204)
})

test('the tokens of a previous key end when the previous key ends', async () => {
  const { id, key: first } = await create({ name: 'rotated', scopes: ['logs:read', 'tokens:manage'] })
  const issue = async (auth: string) => {
    const body = { scopes: ['logs:read', 'tokens:manage'], ttl: 0 }
    return (await relay.api('POST', '/auth/token', { auth: `Bearer ${auth}`, body })).json
  }
  const refresh = async (token: string) =>
    (await relay.api('POST', '/auth/token/refresh', { auth: `Bearer ${token}` })).status
  const early = await issue(first)
  const derived = await issue(early.access_token)
  const rotate = async (overlapSeconds: number) =>
    (await relay.api('POST', `/keys/${id}/rotate`, { body: { overlapSeconds } })).json
  const { key: second } = await rotate(3_600)
  const late = await issue(second)
  const statuses = () => Promise.all([early, derived, late].map((pair) => statusWith(pair.access_token)))
  expect(await statuses()).toEqual([200, 200, 200])
  clock.aheadMs = 3_601_000
  expect(await statuses()).toEqual([401, 401, 200])
  expect([await refresh(early.refresh_token), await refresh(derived.refresh_token)]).toEqual([401, 401])
  clock.aheadMs = 0
  await rotate(0)
  expect(await statuses()).toEqual([401, 401, 401])
  expect(await refresh(late.refresh_token)).toBe(401)
  const listed = (await relay.api('GET', '/tokens')).json as { id: string }[]
  expect(listed.filter(({ id: one }) => [early, derived, late].some((pair) => pair.id === one))).toEqual([])
})

test('a key expires, and so do its tokens', async () => {
  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  const { id, key } = await create({ name: 'short-lived', scopes: ['logs:read', 'tokens:manage'], expiresAt })
  const body = { scopes: ['logs:read'], ttl: 3_600 }
  const { json: pair } = await relay.api('POST', '/auth/token', { auth: `Bearer ${key}`, body })
  expect(Date.parse(pair.expires_at)).toBeLessThanOrEqual(Date.parse(expiresAt))
  clock.aheadMs = 61_000
  expect([await statusWith(key), await statusWith(pair.access_token)]).toEqual([401, 401])
  expect((await relay.api('GET', `/keys/${id}`)).json.state).toBe('expired')
  clock.aheadMs = 0
  const past = { name: 'late', scopes: ['logs:read'], expiresAt: new Date(Date.now() - 1_000).toISOString() }
  expect((await relay.api('POST', '/keys', { body: past })).status).toBe(400)
})

test('a token of a key has at most the scopes of the key, keeps its limits, and is listed with the key', async () => {
  const { id, key } = await create({ name: 'parent', scopes: ['logs:read', 'tokens:manage'] })
  const ask = (scopes: string[]) => relay.api('POST', '/auth/token', { auth: `Bearer ${key}`, body: { scopes } })
  expect((await ask(['messages:send'])).status).toBe(403)
  expect((await ask(['all:any'])).status).toBe(403)
  const { json: pair } = await ask(['logs:read', 'tokens:manage'])
  const { json: child } = await relay.api('POST', '/auth/token', {
    auth: `Bearer ${pair.access_token}`,
    body: { scopes: ['logs:read'] },
  })
  clock.aheadMs = 2_000
  const { json: refreshed } = await relay.api('POST', '/auth/token/refresh', { auth: `Bearer ${child.refresh_token}` })
  const listed = (await relay.api('GET', '/tokens')).json.filter((one: { keyId?: string }) => one.keyId === id)
  expect(listed.map((one: { id: string }) => one.id).sort()).toEqual([pair.id, refreshed.id].sort())
  expect((await relay.api('DELETE', `/keys/${id}`)).status).toBe(204)
  clock.aheadMs = 0
  for (const token of [pair.access_token, refreshed.access_token]) expect(await statusWith(token)).toBe(401)
})

test('relays of releases before API keys refuse the tokens of a key by their audience', async () => {
  const { key } = await create({ name: 'audience', scopes: ['logs:read', 'tokens:manage'] })
  const { json: pair } = await relay.api('POST', '/auth/token', {
    auth: `Bearer ${key}`,
    body: { scopes: ['logs:read'] },
  })
  for (const [token, audience] of [
    [pair.access_token, 'smsgw:api:key'],
    [pair.refresh_token, 'smsgw:refresh:key'],
  ])
    expect(JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()).aud).toBe(audience)
})

test('a key with all:any manages no keys, tokens or passwords unless these scopes are named', async () => {
  const { key } = await create({ name: 'everything', scopes: ['all:any'] })
  const auth = `Bearer ${key}`
  expect(await statusWith(key, '/settings')).toBe(200)
  for (const [method, path, body] of [
    ['GET', '/keys', undefined],
    ['POST', '/keys', { name: 'more', scopes: ['logs:read'] }],
    ['GET', '/tokens', undefined],
    ['POST', '/auth/token', { scopes: ['logs:read'] }],
    ['POST', '/account/password', { currentPassword: 'x', newPassword: 'y' }],
  ] as const)
    expect((await relay.api(method, path, { auth, ...(body && { body }) })).status).toBe(403)
  const named = await create({ name: 'manager', scopes: ['all:any', 'keys:manage'] })
  const made = await create({ name: 'made by a key', scopes: ['logs:read'] }, relay, `Bearer ${named.key}`)
  expect(made).toMatchObject({ createdByKeyId: named.id })
})

test('a key cannot create, change or rotate a key with scopes that it does not have', async () => {
  const auth = `Bearer ${(await create({ name: 'narrow', scopes: ['keys:manage', 'logs:read'] })).key}`
  const { id: wide } = await create({ name: 'wide', scopes: ['all:any'] })
  const { id: same } = await create({ name: 'same', scopes: ['logs:read'] })
  const wider = { name: 'wider', scopes: ['messages:send'] }
  expect((await relay.api('POST', '/keys', { auth, body: wider })).status).toBe(403)
  expect((await relay.api('POST', `/keys/${wide}/rotate`, { auth })).status).toBe(403)
  expect((await relay.api('PATCH', `/keys/${wide}`, { auth, body: { name: 'mine' } })).status).toBe(403)
  expect((await relay.api('POST', `/keys/${same}/rotate`, { auth })).status).toBe(200)
})

test('a token cannot create, change or rotate a key, because the key would outlive it', async () => {
  const { json: pair } = await relay.api('POST', '/auth/token', { body: { scopes: ['all:any'] } })
  const auth = `Bearer ${pair.access_token}`
  const { id } = await create({ name: 'not for tokens' })
  expect((await relay.api('POST', '/keys', { auth, body: { name: 'x', scopes: ['logs:read'] } })).status).toBe(403)
  expect((await relay.api('PATCH', `/keys/${id}`, { auth, body: { name: 'x' } })).status).toBe(403)
  expect((await relay.api('POST', `/keys/${id}/rotate`, { auth })).status).toBe(403)
  expect((await relay.api('DELETE', `/keys/${id}`, { auth })).status).toBe(204)
})

test('limits and the scope keys:manage exclude each other', async () => {
  const limits = { recipientsPerDay: 5 }
  const both = { name: 'both', scopes: ['messages:send', 'keys:manage'], limits }
  expect((await relay.api('POST', '/keys', { body: both })).status).toBe(400)
  const { id } = await create({ name: 'manager', scopes: ['keys:manage'] })
  expect((await relay.api('PATCH', `/keys/${id}`, { body: { limits } })).status).toBe(400)
})

test('name and limits can be changed, and limits removed', async () => {
  const { id } = await create({ name: 'first name', scopes: ['messages:send'] })
  const change = async (body: object) => (await relay.api('PATCH', `/keys/${id}`, { body })).json
  const limits = { recipients: ['+44*'], recipientsPerDay: 5 }
  expect(await change({ name: 'second name', limits })).toMatchObject({
    name: 'second name',
    limits,
    recipientsToday: 0,
  })
  expect(await change({ name: 'third name' })).toMatchObject({ name: 'third name', limits })
  expect((await change({ limits: {} })).limits).toEqual({})
})

test.each([
  ['scopes', ['messages:list']],
  ['expiresAt', '2037-01-01T00:00:00Z'],
])('a change of %s is refused, and changes nothing', async (member, value) => {
  const { id } = await create({ name: 'first name', scopes: ['messages:send'] })
  const path = `/keys/${id}`
  const { status, json } = await relay.api('PATCH', path, { body: { name: 'second name', [member]: value } })
  expect([status, json.errors]).toMatchObject([
    400,
    [{ path: member, message: expect.stringContaining('cannot be changed: create another key') }],
  ])
  const after = { name: 'third name', [member]: null }
  expect((await relay.api('GET', path)).json).toMatchObject({ name: 'first name', scopes: ['messages:send'] })
  expect((await relay.api('PATCH', path, { body: after })).json).toMatchObject({ name: 'third name' })
})

test.each([
  [{ recipients: ['hello'] }, 'limits.recipients[0]'],
  [{ recipients: ['+44 7400'] }, 'limits.recipients[0]'],
  [{ recipients: ['*'] }, 'limits.recipients[0]'],
  [{ recipientsPerDay: 0 }, 'limits.recipientsPerDay'],
  [{ sims: [{ simNumber: 1 }] }, 'limits.sims[0].deviceId'],
])('a wrong limit is refused with its path: %j', async (limits, path) => {
  const body = { name: 'wrong', scopes: ['messages:send'], limits }
  const { status, json } = await relay.api('POST', '/keys', { body })
  expect([status, json.errors?.[0].path]).toEqual([400, path])
})

test('wrong keys are throttled, and the right key is not', async () => {
  const { id, key } = await create({ name: 'guessed' })
  const forged = newKey(systemRandom, id)
  const statuses = new Set<number>()
  for (let guess = 0; guess < 12; guess++) {
    const answer = await relay.api('GET', '/logs', { auth: `Bearer ${forged}` })
    statuses.add(answer.status)
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect([...statuses]).toEqual([401, 429])
  expect(await statusWith(key)).toBe(200)
})

test('a page on another site may send a key as bearer token or in X-API-Key, but not with Basic', async () => {
  const { key } = await create({ name: 'page', scopes: ['inbox:refresh'] })
  const range = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }
  const post = async (auth: string | null, headers: object = {}) =>
    (
      await relay.api('POST', '/inbox/refresh', {
        auth,
        body: range,
        headers: { origin: 'https://evil.example', ...headers },
      })
    ).status
  expect(await post(basic('x', key))).toBe(403)
  expect(await post(`Bearer ${key}`)).toBe(202)
  expect(await post(null, { 'x-api-key': key })).toBe(202)
})

test('X-API-Key takes precedence over Authorization, and a wrong key in X-API-Key is refused', async () => {
  const { key } = await create({ name: 'header' })
  const wrong = { headers: { 'x-api-key': 'smsgw_live_wrong' } }
  expect((await relay.api('GET', '/logs', wrong)).status).toBe(401)
  const right = { auth: basic('proxy', 'of its own'), headers: { 'x-api-key': key } }
  expect((await relay.api('GET', '/logs', right)).status).toBe(200)
})

test('a key does not sign a browser in', async () => {
  const { key } = await create({ name: 'browser', scopes: ['all:any'] })
  const body = { username: relay.account.username, password: key }
  expect((await relay.api('POST', '/session', { auth: null, body })).status).toBe(401)
})

test('removing the account ends its keys', async () => {
  const account: TestAccount = await relay.addAccount()
  const { key } = await create({ name: 'removed' }, relay, account.basic)
  expect(await statusWith(key)).toBe(200)
  await removeAccount(relay.database, clock, account.id)
  await sleep(2_000)
  expect(await statusWith(key)).toBe(401)
  expect(await relay.database.apiKey.count({ where: { accountId: account.id } })).toBe(0)
})

test('a change of the password leaves the keys valid', async () => {
  const account = await relay.addAccount()
  const { key } = await create({ name: 'keeps working' }, relay, account.basic)
  const body = { currentPassword: account.password, newPassword: 'coffee at a quarter to five' }
  expect((await relay.api('POST', '/account/password', { auth: account.basic, body })).status).toBe(204)
  expect(await statusWith(key)).toBe(200)
})

test('an account has at most 200 keys that are not revoked', async () => {
  const account = await relay.addAccount()
  const row = { accountId: account.id, name: 'one of many', scopes: [], secretHash: '', createdAt: new Date() }
  const rows = Array.from({ length: 200 }, (_, index) => ({ ...row, id: `many${String(index).padStart(8, '0')}` }))
  await relay.database.apiKey.createMany({ data: rows })
  const post = () =>
    relay.api('POST', '/keys', { auth: account.basic, body: { name: 'one more', scopes: ['logs:read'] } })
  expect((await post()).status).toBe(409)
  await relay.database.apiKey.updateMany({ where: { id: 'many00000000' }, data: { revokedAt: new Date() } })
  expect((await post()).status).toBe(201)
})
