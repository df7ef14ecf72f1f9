// A token that was issued with another token ends when the other token ends.
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestRelay, testRelay } from '../../testing/test-relay.ts'

const clock = { aheadMs: 0, now: () => new Date(Date.now() + clock.aheadMs) }
let relay: TestRelay
beforeAll(async () => {
  relay = await testRelay({ clock })
})
afterAll(() => relay.close())
beforeEach(() => {
  clock.aheadMs = 0
})

interface Pair {
  readonly id: string
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_at: string
}

/** Issues a token pair with the password, or with the token `by`. By default, it has the longest lifetime. */
async function issue(by?: Pair, ttl = 0): Promise<Pair> {
  const auth = by ? `Bearer ${by.access_token}` : relay.account.basic
  const body = { scopes: ['tokens:manage', 'logs:read'], ttl }
  const { status, json } = await relay.api('POST', '/auth/token', { auth, body })
  expect(status).toBe(201)
  return json
}

const refresh = ({ refresh_token: token }: Pair) =>
  relay.api('POST', '/auth/token/refresh', { auth: `Bearer ${token}` })
const revoke = ({ id }: Pair) => relay.api('DELETE', `/auth/token/${id}`)
const statusOf = async ({ access_token: token }: Pair) =>
  (await relay.api('GET', '/logs', { auth: `Bearer ${token}` })).status
const expiriesOf = ({ access_token: access, refresh_token: refresh }: Pair) =>
  [access, refresh].map((token) => decodeJwt(token).exp)

test('a token and its refresh token expire with the token that issued them, also through other tokens', async () => {
  const parent = await issue(undefined, 60)
  const [end] = expiriesOf(parent)
  clock.aheadMs = 10_000
  const child = await issue(parent)
  const grandchild = await issue(child, 3_600)
  for (const pair of [child, grandchild]) {
    expect(expiriesOf(pair)).toEqual([end, end])
    expect(pair.expires_at).toBe(parent.expires_at)
  }
})

test('refreshing a token or its issuer does not extend the life of the token', async () => {
  const parent = await issue(undefined, 60)
  const [end] = expiriesOf(parent)
  const child = await issue(parent)
  clock.aheadMs = 30_000
  const { json: parentAgain } = await refresh(parent)
  const { json: childAgain } = await refresh(child)
  expect(expiriesOf(childAgain)).toEqual([end, end])
  clock.aheadMs = 61_000
  expect([await statusOf(childAgain), (await refresh(childAgain)).status]).toEqual([401, 401])
  expect(await statusOf(parentAgain)).toBe(200)
})

test('revoking a token revokes the tokens that it issued, also through other tokens, but not its issuer', async () => {
  const parent = await issue()
  const [child, sister] = [await issue(parent), await issue(parent)]
  const { json: childAgain } = await refresh(child)
  const grandchild = await issue(childAgain)
  expect((await revoke(child)).status).toBe(204)
  for (const pair of [childAgain, grandchild])
    expect([await statusOf(pair), (await refresh(pair)).status]).toEqual([401, 401])
  for (const pair of [parent, sister]) expect(await statusOf(pair)).toBe(200)
  expect((await revoke(parent)).status).toBe(204)
  expect(await statusOf(sister)).toBe(401)
})

test('a refresh token that is used twice revokes the tokens that its family issued, but not its issuer', async () => {
  const parent = await issue()
  const child = await issue(parent)
  const grandchild = await issue(child)
  for (const status of [201, 401]) expect((await refresh(child)).status).toBe(status)
  expect(await statusOf(grandchild)).toBe(401)
  expect(await statusOf(parent)).toBe(200)
})

test('a chain of tokens that issue each other has at most ten tokens, and earlier tokens of the chain can still issue tokens', async () => {
  const chain = [await issue()]
  while (chain.length < 10) chain.push(await issue(chain.at(-1)))
  const body = { scopes: ['logs:read'] }
  for (const last of [chain.at(-1), (await refresh(chain.at(-1) as Pair)).json as Pair]) {
    const { status, json } = await relay.api('POST', '/auth/token', { auth: `Bearer ${last?.access_token}`, body })
    expect([status, json.message]).toEqual([403, expect.stringContaining('chain of 10 tokens')])
  }
  expect(await statusOf(await issue(chain.at(-2)))).toBe(200)
})

test('a token of a longer chain, which an older release could issue, counts as revoked', async () => {
  const chain = [await issue()]
  while (chain.length < 10) chain.push(await issue(chain.at(-1)))
  const [tenth, eleventh] = [chain.at(-1) as Pair, await issue()]
  const familyOf = async ({ id: jti }: Pair) =>
    (await relay.database.token.findUniqueOrThrow({ where: { jti }, select: { familyId: true } })).familyId
  const data = { parentId: await familyOf(tenth) }
  await relay.database.tokenFamily.update({ where: { id: await familyOf(eleventh) }, data })
  expect([await statusOf(tenth), await statusOf(eleventh), (await refresh(eleventh)).status]).toEqual([200, 401, 401])
  const listed = ((await relay.api('GET', '/tokens')).json as Pair[]).map(({ id }) => id)
  expect(listed).toContain(tenth.id)
  expect(listed).not.toContain(eleventh.id)
})

test('a token issued during the revocation of its issuer is revoked', async () => {
  for (let round = 0; round < 10; round++) {
    const parent = await issue()
    const child = await issue(parent)
    const body = { scopes: ['logs:read'] }
    const [made] = await Promise.all([
      relay.api('POST', '/auth/token', { auth: `Bearer ${child.access_token}`, body }),
      revoke(parent),
    ])
    expect([201, 401]).toContain(made.status)
    if (made.status === 201) expect(await statusOf(made.json)).toBe(401)
  }
})
