// A pairing code that was created with a token or an API key is valid only as long as that token or key.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ScriptedAgent } from '../../link/testing/scripted-agent.ts'
import { type TestRelay, testRelay } from '../../testing/test-relay.ts'

let relay: TestRelay
const agents: ScriptedAgent[] = []
beforeAll(async () => {
  relay = await testRelay()
})
afterEach(() => {
  for (const agent of agents.splice(0)) agent.stop()
})
afterAll(() => relay.close())

interface Token {
  readonly id: string
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_at: string
}

async function issue({ ttl = 3_600, by = relay.account.basic } = {}): Promise<Token> {
  const body = { scopes: ['tokens:manage', 'devices:write'], ttl }
  const { status, json } = await relay.api('POST', '/auth/token', { auth: by, body })
  expect(status).toBe(201)
  return json
}

const bearer = ({ access_token: token }: Token) => `Bearer ${token}`
const revoke = ({ id }: Token) => relay.api('DELETE', `/auth/token/${id}`)

async function createCode(auth: string): Promise<{ readonly code: string; readonly expiresAt: string }> {
  const { status, json } = await relay.api('POST', '/devices/codes', { auth })
  expect(status).toBe(201)
  return json
}

async function pair({ code }: { readonly code: string }): Promise<'paired' | 'refused'> {
  const agent = new ScriptedAgent({ url: relay.url, identity: { credential: code } })
  agents.push(agent)
  agent.start()
  await agent.until(() => agent.phase === 'online' || agent.phase === 'stopped')
  if (agent.phase === 'stopped') expect(agent.ended).toEqual(['pairing-refused'])
  return agent.phase === 'online' ? 'paired' : 'refused'
}

test('a code that was created with a token pairs an agent', async () => {
  expect(await pair(await createCode(bearer(await issue())))).toBe('paired')
})

test('a code is refused after its token was revoked', async () => {
  const token = await issue()
  const code = await createCode(bearer(token))
  await revoke(token)
  expect(await pair(code)).toBe('refused')
})

test('a code is refused after the parent of its token was revoked', async () => {
  const parent = await issue()
  const code = await createCode(bearer(await issue({ by: bearer(parent) })))
  await revoke(parent)
  expect(await pair(code)).toBe('refused')
})

test('a code stays valid after its token was refreshed, or another token was revoked', async () => {
  const token = await issue()
  const code = await createCode(bearer(token))
  await relay.api('POST', '/auth/token/refresh', { auth: `Bearer ${token.refresh_token}` })
  await revoke(await issue())
  expect(await pair(code)).toBe('paired')
})

test('a code expires with its token, and after ten minutes at the latest', async () => {
  const short = await issue({ ttl: 60 })
  expect((await createCode(bearer(short))).expiresAt).toBe(short.expires_at)
  const long = await createCode(bearer(await issue()))
  const lifetimeMs = Date.parse(long.expiresAt) - Date.now()
  expect(lifetimeMs).toBeGreaterThan(500_000)
  expect(lifetimeMs).toBeLessThanOrEqual(600_000)
})

test('a code that was created with an API key is refused after the key was revoked', async () => {
  const key = async () => (await relay.api('POST', '/keys', { body: { name: 'x', scopes: ['devices:write'] } })).json
  const [kept, revoked] = [await key(), await key()]
  const [good, bad] = [await createCode(`Bearer ${kept.key}`), await createCode(`Bearer ${revoked.key}`)]
  await relay.api('DELETE', `/keys/${revoked.id}`)
  expect([await pair(good), await pair(bad)]).toEqual(['paired', 'refused'])
})

test('a code is refused after the password was changed', async () => {
  const { basic, username } = await relay.addAccount()
  const code = await createCode(basic)
  const [, currentPassword] = atob(basic.slice('Basic '.length)).split(':')
  const body = { currentPassword, newPassword: `new password of ${username}` }
  const { status } = await relay.api('POST', '/account/password', { auth: basic, body })
  expect(status).toBe(204)
  expect(await pair(code)).toBe('refused')
})
