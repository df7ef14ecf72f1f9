import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestAccount, type TestRelay, testRelay } from '../../testing/test-relay.ts'

const told: object[] = []
let relay: TestRelay
let account: TestAccount
let callers = 0
beforeAll(async () => {
  const settings = { TRUSTED_PROXIES: '127.0.0.1' }
  relay = await testRelay({ settings, onPasswordChanged: (changed) => void told.push(changed) })
})
afterAll(() => relay.close())
beforeEach(async () => {
  told.length = 0
  callers += 1
  account = await relay.addAccount()
})

const newPassword = 'coffee at a quarter to five'
const headers = () => ({ 'x-forwarded-for': `10.2.0.${callers}`, 'x-forwarded-proto': 'https' })
const ask = (method: string, path: string, auth: string | null, body?: unknown, more: object = {}) =>
  relay.api(method, path, { auth, headers: { ...headers(), ...more }, ...(body !== undefined && { body }) })
const change = (currentPassword: string, password = newPassword, auth: string | null = account.basic, more = {}) =>
  ask('POST', '/account/password', auth, { currentPassword, newPassword: password }, more)
const statusWith = async (auth: string | null, more = {}) =>
  (await ask('GET', '/devices', auth, undefined, more)).status
const basicWith = (password: string) => `Basic ${Buffer.from(`${account.username}:${password}`).toString('base64')}`

async function signIn() {
  const { username, password } = account
  const answer = await ask('POST', '/session', null, { username, password })
  return { cookie: String(answer.headers.get('set-cookie')).split(';')[0] ?? '' }
}

test('a new password replaces the old one at once and ends its sessions and tokens', async () => {
  const session = await signIn()
  const { json: token } = await ask('POST', '/auth/token', account.basic, { scopes: ['all:any'] })
  expect((await change(account.password)).status).toBe(204)
  expect(await statusWith(account.basic)).toBe(401)
  expect(await statusWith(null, session)).toBe(401)
  expect(await statusWith(basicWith(newPassword))).toBe(200)
  const standing = await relay.database.tokenFamily.findFirst({ where: { tokens: { some: { jti: token.id } } } })
  expect(standing?.revokedAt).toBeInstanceOf(Date)
  expect(told).toEqual([{ username: account.username, password: newPassword }])
})

test('a session can change the password from the console', async () => {
  const session = await signIn()
  const host = new URL(relay.url).host
  expect((await change(account.password, newPassword, null, session)).status).toBe(403)
  expect((await change(account.password, newPassword, null, { ...session, origin: `https://${host}` })).status).toBe(
    204,
  )
  expect(await statusWith(basicWith(newPassword))).toBe(200)
})

test('a wrong current password changes nothing and is throttled like a login', async () => {
  const statuses: number[] = []
  for (let guess = 0; guess < 12; guess += 1) statuses.push((await change(`guess ${guess}`)).status)
  expect(statuses).toEqual([...Array(10).fill(403), 429, 429])
  expect(await statusWith(account.basic)).toBe(200)
  expect(told).toEqual([])
})

test('a token cannot change the password, whatever its scopes', async () => {
  const { json: token } = await ask('POST', '/auth/token', account.basic, { scopes: ['all:any'] })
  const { status, json } = await change(account.password, newPassword, `Bearer ${token.access_token}`)
  expect([status, json.message]).toEqual([403, expect.stringContaining('A token or an API key may not do this')])
  expect(await statusWith(account.basic)).toBe(200)
})

test.each(['short', 'aaaaaaaaaa', 'x'.repeat(200), 'a tab\tin between'])(
  'a weak password is refused: %j',
  async (weak) => {
    const { status, json } = await change(account.password, weak)
    expect([status, json.errors?.[0].path]).toEqual([400, 'newPassword'])
    expect(await statusWith(account.basic)).toBe(200)
  },
)

test('only one of two concurrent changes succeeds', async () => {
  const answers = await Promise.all([
    change(account.password, 'the first of them'),
    change(account.password, 'the second one'),
  ])
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([204, 403])
  const winner = answers[0]?.status === 204 ? 'the first of them' : 'the second one'
  expect(await statusWith(basicWith(winner))).toBe(200)
  expect(told).toEqual([{ username: account.username, password: winner }])
})
