import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestAccount, type TestRelay, testRelay } from '../../testing/test-relay.ts'

const start = Date.parse('2026-03-01T09:00:00.000Z')
let nowMs = start
let relay: TestRelay
let account: TestAccount
beforeAll(async () => {
  relay = await testRelay({ clock: { now: () => new Date(nowMs) } })
})
afterAll(() => relay.close())
beforeEach(async () => {
  nowMs = start
  account = await relay.addAccount()
})

const ask = (method: string, path: string, body?: unknown) =>
  relay.api(method, path, { auth: account.basic, ...(body !== undefined && { body }) })
const list = async () => (await ask('GET', '/tokens')).json
const issue = async (scopes: readonly string[], ttl = 3_600) => (await ask('POST', '/auth/token', { scopes, ttl })).json
const later = (seconds: number) => new Date(start + seconds * 1000).toISOString()
const HOUR = 3_600
const MONTH = 30 * 86_400

test('lists issued tokens, newest first, without their secrets', async () => {
  const first = await issue(['messages:send', 'messages:read'])
  nowMs += 1_000
  const second = await issue(['logs:read'])
  const tokens = await list()
  expect(tokens).toEqual([
    {
      id: second.id,
      scopes: ['logs:read'],
      createdAt: later(1),
      expiresAt: later(HOUR + 1),
      refreshExpiresAt: later(MONTH + 1),
    },
    {
      id: first.id,
      scopes: ['messages:send', 'messages:read'],
      createdAt: later(0),
      expiresAt: later(HOUR),
      refreshExpiresAt: later(MONTH),
    },
  ])
})

test('lists a refreshed token once, with the id of the latest access token', async () => {
  const { refresh_token: refreshToken } = await issue(['logs:read'])
  nowMs += 60_000
  const { json: next } = await relay.api('POST', '/auth/token/refresh', { auth: `Bearer ${refreshToken}` })
  expect(await list()).toEqual([
    {
      id: next.id,
      scopes: ['logs:read'],
      createdAt: later(0),
      expiresAt: later(HOUR + 60),
      refreshExpiresAt: later(MONTH + 60),
    },
  ])
})

test('leaves out revoked and expired tokens, but not those that can still be refreshed', async () => {
  const { id } = await issue(['logs:read'])
  expect((await ask('DELETE', `/auth/token/${(await list())[0].id}`)).status).toBe(204)
  expect(await list()).toEqual([])
  const next = await issue(['logs:read'], 60)
  expect(next.id).not.toBe(id)
  nowMs = start + (MONTH - 1) * 1000
  expect(await list()).toHaveLength(1)
  nowMs = start + MONTH * 1000
  expect(await list()).toEqual([])
})

test('lists only tokens of the account', async () => {
  await issue(['logs:read'])
  const other = await relay.addAccount()
  expect((await relay.api('GET', '/tokens', { auth: other.basic })).json).toEqual([])
})
