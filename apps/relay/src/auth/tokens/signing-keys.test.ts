import { beforeEach, expect, test, vi } from 'vitest'
import { systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { rotateSigningKeys } from './rotate-signing-keys.ts'
import { signToken, verifyToken } from './signed-token.ts'
import { SigningKeys } from './signing-keys.ts'

const DAY_MS = 86_400_000
const box = secretBox('a secret that is long enough to be one', systemRandom)
const world = useTestDatabase({ connections: 10 })
let nowMs: number
const clock = { now: () => new Date(nowMs) }

beforeEach(async () => {
  nowMs = Date.UTC(2026, 2, 1)
  await world.database.signingKey.deleteMany()
})

const rotate = () => rotateSigningKeys({ ...world, box, clock, random: systemRandom, longestTokenSeconds: 30 * 86_400 })
const replica = () => new SigningKeys({ ...world, box, clock })
const tokens = (signingKeys: SigningKeys) => ({ signingKeys, clock, issuer: 'smsgw' })
const claims = (days: number) => ({
  sub: 'account',
  jti: 'token',
  iat: nowMs / 1000,
  exp: nowMs / 1000 + days * 86_400,
  scopes: ['all:any'],
})

const unretired = () =>
  world.database.signingKey.count({ where: { OR: [{ retiresAt: null }, { retiresAt: { gt: clock.now() } }] } })

test('relays that start at the same time create one key', async () => {
  await Promise.all(Array.from({ length: 8 }, rotate))
  expect(await world.database.signingKey.count()).toBe(1)
})

test('the database contains no private key in clear text', async () => {
  await rotate()
  const [row] = await world.database.signingKey.findMany()
  expect(JSON.stringify(row?.publicJwk)).not.toContain('"d"')
  expect(row?.privateSealed).not.toContain('PRIVATE')
  expect(box.open(row?.privateSealed ?? '', 'signing-key')).toContain('PRIVATE')
})

test('rotation keeps tokens valid and publishes a key a day before it signs', async () => {
  await rotate()
  const relay = replica()
  const signers = new Set<string>()
  const published = new Map<string, number>()
  let live: { token: string; untilMs: number }[] = []
  for (let day = 0; day < 200; day++, nowMs += DAY_MS) {
    await rotate()
    await relay.published()
    await expect.poll(async () => (await relay.published()).length - (await unretired())).toBe(0)
    for (const { kid } of await relay.published()) if (!published.has(String(kid))) published.set(String(kid), nowMs)
    const { kid } = await relay.signer()
    if (!signers.has(kid) && signers.size > 0)
      expect(nowMs - (published.get(kid) ?? nowMs)).toBeGreaterThanOrEqual(DAY_MS)
    signers.add(kid)
    live.push({ token: await signToken(tokens(relay), 'refresh', claims(30)), untilMs: nowMs + 30 * DAY_MS })
    live = live.filter(({ untilMs }) => untilMs > nowMs)
    for (const { token } of [live[0], live.at(-1)].filter((entry) => entry !== undefined))
      expect(await verifyToken(tokens(relay), 'refresh', token)).toBeDefined()
  }
  expect(signers.size).toBe(3)
  expect(await unretired()).toBeLessThanOrEqual(2)
  expect(await world.database.signingKey.count()).toBeLessThanOrEqual(3)
})

test('an unknown key id causes one read of the keys, and further invented key ids cause none', async () => {
  await rotate()
  const late = replica()
  await late.signer()
  await world.database.signingKey.deleteMany()
  await rotate()
  const token = await signToken(tokens(replica()), 'access', claims(1))
  nowMs += 6_000
  const reads = vi.spyOn(world.database.signingKey, 'findMany')
  expect(await verifyToken(tokens(late), 'access', token)).toBeDefined()
  expect(reads).toHaveBeenCalledTimes(1)
  for (let guess = 0; guess < 50; guess++) expect(await late.verifier(`made up ${guess}`)).toBeUndefined()
  expect(reads).toHaveBeenCalledTimes(1)
  nowMs += 6_000
  await Promise.all(Array.from({ length: 50 }, (_, guess) => late.verifier(`made up ${guess}`)))
  expect(reads).toHaveBeenCalledTimes(2)
  reads.mockRestore()
})

test.each([1, 30])(
  'a relay whose clock is %d days behind the only key signs with that key, and the token is valid',
  async (days) => {
    await rotate()
    nowMs -= days * DAY_MS
    const relay = replica()
    const token = await signToken(tokens(relay), 'access', claims(1))
    expect(await verifyToken(tokens(relay), 'access', token)).toMatchObject({ jti: 'token' })
  },
)

test('a relay whose clock was ahead deletes no key in use', async () => {
  await rotate()
  const token = await signToken(tokens(replica()), 'refresh', claims(30))
  await world.database.signingKey.updateMany({ data: { retiresAt: new Date(nowMs + 30 * DAY_MS) } })
  nowMs += 31 * DAY_MS
  await rotate()
  nowMs -= 2 * DAY_MS
  expect(await verifyToken(tokens(replica()), 'refresh', token)).toBeDefined()
})
