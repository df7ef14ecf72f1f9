import type { Scope } from '@smsgw/contract/access/scopes'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changePassword } from '../accounts/change-password.ts'
import type { Principal } from '../http/endpoint.ts'
import { systemRandom } from '../random.ts'
import { lockSettings } from '../settings/lock-settings-statement.ts'
import { secretBox } from '../store/secret-box.ts'
import { someoneWaits } from '../testing/someone-waits.ts'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { redeemPhoneCode } from './phone-code.ts'
import { registerPhone } from './register-phone.ts'
import { testPhone } from './testing/test-phone.ts'

const TOKEN = 'the-enrolment-token-of-this-relay'
const SERVER_SECRET = 'a secret that is long enough to be one'
const box = secretBox(SERVER_SECRET, systemRandom)
const clock = { aheadMs: 0, now: () => new Date(Date.now() + clock.aheadMs) }
let relay: TestRelay
beforeAll(async () => {
  relay = await testRelay({
    clock,
    settings: {
      ADMIN_USERNAME: 'operator',
      ADMIN_PASSWORD: 'a password of the operator',
      ENROLMENT_TOKEN: TOKEN,
      TRUSTED_PROXIES: '127.0.0.1',
      SERVER_SECRET,
    },
  })
})
afterAll(() => relay.close())

let callers = 0
/** Each registration comes from a different address, because registrations are limited per address. */
function register(auth: string | null, body: unknown = {}, address = `10.2.${callers >> 8}.${callers++ & 255}`) {
  const headers = { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' }
  return relay.request('POST', '/mobile/v1/device', { auth, body, headers })
}
const newCode = async () => (await relay.request('GET', '/mobile/v1/user/code')).json

test('a phone registers with the password of the account and becomes a device like any other device', async () => {
  const simCards = [{ slotIndex: 0, simNumber: 1, phoneNumber: '+12025550100', carrierName: 'Example', iccid: '89' }]
  const body = { name: 'Pixel 9', pushToken: 'token', simCards, publicKey: 'MIIB', keyVersion: 2, unknown: true }
  const { status, json } = await register(relay.account.basic, body)
  expect([status, json]).toEqual([
    201,
    {
      id: expect.stringMatching(/^[\w-]{21}$/),
      token: expect.stringMatching(/^[\w-]{21}$/),
      login: relay.account.username,
    },
  ])
  const { json: devices } = await relay.api('GET', '/devices')
  expect(devices).toMatchObject([
    {
      ...{ id: json.id, name: 'Pixel 9', isPhone: true, publicKey: 'MIIB', keyVersion: 2 },
      simCards: [{ simNumber: 1, slotIndex: 0, phoneNumber: '+12025550100', carrierName: 'Example', state: 'ready' }],
    },
  ])
  expect(JSON.stringify(await relay.database.device.findMany(), bigints)).not.toContain(json.token)
})

test.each([
  ['a phone that reports a name with formatting characters is registered without them', ' Pixel\u202e 9\n', 'Pixel 9'],
  ['a phone that reports only invisible characters gets a name that is visible', '\u200b\u202e', 'Phone'],
])('%s', async (_, name, shown) => {
  const { status, json } = await register(relay.account.basic, { name })
  expect(status).toBe(201)
  expect(await relay.database.device.findUnique({ where: { id: json.id } })).toMatchObject({ name: shown })
})

test('a code registers one phone within a minute, in either case', async () => {
  const { code, validUntil } = await newCode()
  expect(code).toMatch(/^[2-9a-hjkmnp-z]{6}$/)
  expect(Date.parse(validUntil) - clock.now().getTime()).toBeLessThanOrEqual(60_000)
  const tries = await Promise.all([1, 2, 3].map(() => register(`Code ${code.toUpperCase()}`)))
  expect(tries.map(({ status }) => status).sort()).toEqual([201, 401, 401])
  const { code: late } = await newCode()
  clock.aheadMs = 61_000
  expect((await register(`Code ${late}`)).status).toBe(401)
  clock.aheadMs = 0
})

test('a code that is redeemed during a password change is accepted, and the change succeeds after it', async () => {
  const account = await relay.addAccount()
  const { code } = (await relay.request('GET', '/mobile/v1/user/code', { auth: account.basic })).json
  const { database } = relay
  const change = { password: 'a new and long password', keepTokens: false }
  const { redeemed, changed } = await database.$transaction(async (statements) => {
    const redeemed = await redeemPhoneCode({ box, clock }, statements, code)
    const changed = changePassword({ database, box, clock }, account, change).catch((error: Error) => error)
    await someoneWaits(database)
    await lockSettings(statements, account.id)
    return { redeemed, changed: { result: changed } }
  })
  expect(redeemed).toBe(account.id)
  expect(await changed.result).toEqual({ isChanged: true, revoked: 0 })
})

test('a code is refused after a password change that was in progress', async () => {
  const account = await relay.addAccount()
  const { code } = (await relay.request('GET', '/mobile/v1/user/code', { auth: account.basic })).json
  const { registering } = await relay.database.$transaction(async (statements) => {
    await lockSettings(statements, account.id)
    const answer = register(`Code ${code}`)
    await someoneWaits(relay.database)
    await statements.pairingCode.deleteMany({ where: { accountId: account.id } })
    return { registering: { answer } }
  })
  expect((await registering.answer).status).toBe(401)
  expect(await relay.database.device.count({ where: { accountId: account.id } })).toBe(0)
})

test('the enrolment token is accepted as the private token of the app', async () => {
  expect((await register(`Bearer ${TOKEN}`)).json).toMatchObject({ login: 'operator' })
})

test.each([null, 'Basic eDp5', 'Bearer nothing', 'Code 222222', 'Digest x'])('%s registers no phone', async (auth) => {
  const before = await relay.database.device.count()
  expect((await register(auth)).status).toBe(401)
  expect(await relay.database.device.count()).toBe(before)
})

test('a key registers a phone only with the scope devices:write', async () => {
  const keyWith = async (scope: string) => {
    const { json } = await relay.api('POST', '/keys', { body: { name: scope, scopes: [scope] } })
    return `Basic ${Buffer.from(`key:${json.key}`).toString('base64')}`
  }
  expect((await register(await keyWith('devices:list'))).status).toBe(403)
  expect((await register(await keyWith('devices:write'))).status).toBe(201)
})

/**
 * Registers a phone with credentials that are accepted, and then changed before the transaction of the registration.
 */
function registerDuring(change: () => Promise<unknown>, principal: Omit<Principal, 'username' | 'scopes'>) {
  const endpoint = registerPhone({
    ...{ database: relay.database, clock, random: systemRandom, box, allowInsecureHttp: true },
    logbook: { write: () => undefined },
    throttle: { take: () => 0 },
    maxPhones: 10,
    async authenticate() {
      await change()
      return { ...principal, username: '', scopes: new Set<Scope>(['devices:write']) }
    },
  } as unknown as Parameters<typeof registerPhone>[0])
  const headers = { authorization: relay.account.basic }
  return endpoint.handle({ body: {}, headers, address: '10.0.0.1', isSecure: true } as never)
}
const unchanged = async () => undefined
const revoked = { status: 401, message: 'These credentials were revoked during the request' }

test('a password that is changed during the registration registers no phone', async () => {
  const { id: accountId } = await relay.addAccount()
  const where = { id: accountId }
  const { credentialVersion } = await relay.database.account.findUniqueOrThrow({ where })
  const changed = () => relay.database.account.update({ where, data: { credentialVersion: { increment: 1 } } })
  expect(await registerDuring(unchanged, { accountId, credentialVersion })).toMatchObject({ status: 201 })
  await expect(registerDuring(changed, { accountId, credentialVersion })).rejects.toMatchObject(revoked)
  expect(await relay.database.device.count({ where: { accountId } })).toBe(1)
})

test('a key that is revoked during the registration registers no phone', async () => {
  const { id: accountId, basic: auth } = await relay.addAccount()
  const { id } = (await relay.api('POST', '/keys', { auth, body: { name: 'phones', scopes: ['devices:write'] } })).json
  const { secretHash } = await relay.database.apiKey.findUniqueOrThrow({ where: { id } })
  const key = { id, name: 'phones', limits: {}, secretHash }
  const change = () => relay.api('DELETE', `/keys/${id}`, { auth })
  expect(await registerDuring(unchanged, { accountId, key })).toMatchObject({ status: 201 })
  await expect(registerDuring(change, { accountId, key })).rejects.toMatchObject(revoked)
  expect(await relay.database.device.count({ where: { accountId } })).toBe(1)
})

test('registrations from one address are limited', async () => {
  const statuses = []
  for (let count = 0; count < 12; count += 1) statuses.push((await register('Code 222222', {}, '10.9.9.9')).status)
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401))
  expect(statuses.at(-1)).toBe(429)
})

test('with a token, the answer shows the phone; without a token, it shows only the address', async () => {
  const phone = await testPhone(relay)
  expect((await phone.call('GET', '/device')).json).toMatchObject({
    device: { id: phone.id, online: true },
    externalIp: expect.any(String),
  })
  const anonymous = await relay.request('GET', '/api/mobile/v1/device', { auth: null })
  expect([anonymous.status, anonymous.json]).toEqual([200, { externalIp: expect.any(String) }])
})

test('a phone changes its own SIMs and key, and no other device', async () => {
  const [phone, other] = [await testPhone(relay), await testPhone(relay)]
  const change = (body: object) => phone.call('PATCH', '/device', { id: phone.id, ...body })
  const key = { publicKey: 'MIIC', keyVersion: 3 }
  expect((await change({ simCards: [{ slotIndex: 1, simNumber: 2 }], ...key })).status).toBe(204)
  expect((await phone.call('GET', '/device')).json.device).toMatchObject({ simCards: [{ simNumber: 2 }], ...key })
  expect((await change({ publicKey: 'MIIC' })).status).toBe(400)
  expect((await change({ id: other.id })).status).toBe(403)
})

test('a deleted phone has no access any more', async () => {
  const phone = await testPhone(relay)
  expect((await relay.api('DELETE', `/devices/${phone.id}`)).status).toBe(204)
  for (const path of ['/messages', '/settings', '/webhooks', '/events', '/device'])
    expect((await phone.call('GET', path)).status, path).toBe(401)
})

test('only calls of phones accept the token of a phone, and these calls accept no other credentials', async () => {
  const phone = await testPhone(relay)
  expect((await relay.api('GET', '/devices', { auth: `Bearer ${phone.token}` })).status).toBe(401)
  expect((await phone.call('GET', '/user/code')).status).toBe(401)
  const { json } = await relay.api('POST', '/auth/token', { body: { scopes: ['all:any'] } })
  for (const auth of [relay.account.basic, `Bearer ${json.access_token}`, null])
    expect((await relay.request('GET', '/mobile/v1/messages', { auth })).status).toBe(401)
  expect((await relay.request('GET', '/mobile/v1/user/code', { auth: `Bearer ${json.access_token}` })).status).toBe(403)
})

test('the settings have no secrets, and the webhooks are called by the relay', async () => {
  const phone = await testPhone(relay)
  await relay.api('PATCH', '/settings', { body: { webhooks: { signing_key: 'a secret key' } } })
  await relay.api('POST', '/webhooks', { body: { url: 'https://example.org/', event: 'sms:received' } })
  expect((await phone.call('GET', '/settings')).json).toMatchObject({ messages: { processing_order: 'FIFO' } })
  expect((await phone.call('GET', '/settings')).text).not.toContain('a secret key')
  expect((await phone.call('GET', '/webhooks')).json).toEqual([])
})

test('the password is changed from a phone, which stays registered', async () => {
  const account = await relay.addAccount()
  const phone = await testPhone(relay, account)
  const change = (currentPassword: string, newPassword: string) =>
    phone.call('PATCH', '/user/password', { currentPassword, newPassword })
  expect((await change('wrong', 'a new and long password')).status).toBe(401)
  expect((await change(account.password, 'too short')).status).toBe(400)
  expect((await change(account.password, 'a new and long password')).status).toBe(204)
  expect((await relay.api('GET', '/devices', { auth: account.basic })).status).toBe(401)
  expect((await phone.call('GET', '/device')).status).toBe(200)
})

test('operations that only agents support are refused for a phone', async () => {
  const phone = await testPhone(relay)
  const { status, json } = await relay.api('POST', `/devices/${phone.id}/findings`)
  expect([status, json.message]).toEqual([409, 'This device is a phone and cannot do this'])
})

function bigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
