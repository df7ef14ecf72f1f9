import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { route } from '../../http/route.ts'
import { systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../../testing/test-endpoints.ts'
import { createPairingCode } from './create-pairing-code.ts'
import { PairingThrottle, type PairingTry, redeemPairingCode } from './redeem-pairing-code.ts'

let now = new Date()
let throttle = new PairingThrottle()
const box = secretBox('the secret of a server that only tests know', systemRandom)
const clock = { now: () => now }
const logbook = { write: () => undefined }
const shared = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  const deps = { database: shared.database, clock, random: systemRandom, box, logbook }
  api = await testEndpoints([route('POST', '/devices/codes', 'devices:write', '', createPairingCode(deps))])
})
afterAll(() => api.close())
beforeEach(async () => {
  now = new Date('2026-03-01T09:00:00.000Z')
  throttle = new PairingThrottle()
  for (const id of ['a1', 'a2']) await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
})
afterEach(() => shared.database.account.deleteMany())

const pass = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000)
}
async function newCode(account = 'a1'): Promise<string> {
  const { status, json } = await api.request(account, 'POST', '/devices/codes')
  expect(status).toBe(201)
  return (json as { code: string }).code
}
const redeem = (code: string, more: Partial<PairingTry> = {}) =>
  redeemPairingCode(
    { database: shared.database, clock, random: systemRandom, box, logbook, throttle },
    { code, publicKey: 'key', name: 'Pi', address: '192.0.2.1', ...more },
  )
/** Returns the code with a wrong last character. */
const wrong = (code: string) => `${code.slice(0, 9)}${code.endsWith('A') ? 'B' : 'A'}`
const refused = { ok: false, reason: 'refused' }

test('a code has ten characters that do not look alike and is stored as a hash', async () => {
  const { json } = await api.request('a1', 'POST', '/devices/codes')
  const { code, expiresAt } = json as { code: string; expiresAt: string }
  expect(code).toMatch(/^[A-HJKMNP-Z2-9]{10}$/)
  expect(expiresAt).toBe('2026-03-01T09:10:00.000Z')
  expect(JSON.stringify(await shared.database.pairingCode.findMany())).not.toContain(code)
})

test('a code in any case and with groups creates a device of its account', async () => {
  const code = await newCode()
  const typed = ` ${code.slice(0, 5).toLowerCase()}-${code.slice(5)}\n`
  const pairing = await redeem(typed, { name: 'Pi \u0000\u202ein the attic\ud83d' })
  const devices = await shared.database.device.findMany()
  expect(devices).toMatchObject([
    { accountId: 'a1', publicKey: 'key', name: 'Pi in the attic\ufffd', lastSeen: now, deletedAt: null },
  ])
  expect(pairing).toEqual({ ok: true, accountId: 'a1', deviceId: devices[0]?.id })
})

test('a device whose agent reports only invisible characters gets a name that is visible', async () => {
  await redeem(await newCode(), { name: '\u200b\u202e' })
  expect(await shared.database.device.findMany()).toMatchObject([{ name: 'Agent' }])
})

test('a code can be used once, but the same agent gets the same device when it sends the code again', async () => {
  const code = await newCode()
  const first = await redeem(code)
  expect(await redeem(code)).toEqual(first)
  expect(await redeem(code, { publicKey: 'another' })).toEqual(refused)
  expect(await shared.database.device.count()).toBe(1)
})

test('only one of many agents with the same code is paired', async () => {
  const code = await newCode()
  const tries = ['1', '2', '3', '4'].map((publicKey) => redeem(code, { publicKey, address: `192.0.2.${publicKey}` }))
  expect((await Promise.all(tries)).filter(({ ok }) => ok)).toHaveLength(1)
  expect(await shared.database.device.count()).toBe(1)
})

test('a code expires after ten minutes', async () => {
  const code = await newCode()
  pass(599)
  expect((await redeem(code)).ok).toBe(true)
  const late = await newCode()
  pass(600)
  expect(await redeem(late, { publicKey: 'late' })).toEqual(refused)
})

test('five wrong attempts use up a code, even when they are concurrent', async () => {
  const spent = await newCode()
  await Promise.all([1, 2, 3, 4, 5].map(async () => expect(await redeem(wrong(spent))).toEqual(refused)))
  expect(await redeem(spent)).toEqual(refused)
  throttle = new PairingThrottle()
  const code = await newCode()
  for (const _ of [1, 2, 3, 4]) expect(await redeem(wrong(code))).toEqual(refused)
  expect((await redeem(code)).ok).toBe(true)
})

test.each(['', 'short', 'AAAAAAAAAAA', '0123456789', 'A'.repeat(100_000), '\u0000'])('%j is refused', async (code) => {
  expect(await redeem(code.slice(0, 20))).toEqual(refused)
  expect(await redeem(code)).toEqual(refused)
})

test('an address with too many attempts has to wait, but other addresses do not', async () => {
  const code = await newCode()
  const tries = await Promise.all(Array.from({ length: 12 }, () => redeem('AAAAAAAAAA')))
  expect(tries.filter((one) => !one.ok && one.reason === 'throttled')).toHaveLength(2)
  expect(await redeem(code)).toMatchObject({ reason: 'throttled', retryAfterMs: 6000 })
  expect((await redeem(code, { address: '192.0.2.2' })).ok).toBe(true)
  pass(6)
  expect(await redeem('AAAAAAAAAA')).toEqual(refused)
})

test('all addresses together are limited to a few attempts per second', () => {
  const taken = Array.from({ length: 250 }, (_, index) => throttle.take(`2001:db8:${index}::1`, 0))
  expect(taken.filter((waitMs) => waitMs > 0)).toHaveLength(50)
})

test("the key of another account's device cannot be taken over", async () => {
  await redeem(await newCode('a2'))
  const code = await newCode('a1')
  expect(await redeem(code)).toEqual({ ok: false, reason: 'key-in-use' })
  expect((await redeem(code, { publicKey: 'own' })).ok).toBe(true)
})

test('an agent that is paired again keeps its device', async () => {
  const first = await redeem(await newCode())
  expect(await redeem(await newCode())).toEqual(first)
})

test('an account has at most 20 codes, and a new code replaces the oldest', async () => {
  const codes: string[] = []
  for (let turn = 0; turn < 22; turn += 1) {
    codes.push(await newCode())
    pass(1)
  }
  expect(await shared.database.pairingCode.count()).toBe(20)
  expect(await redeem(codes[1] ?? '')).toEqual(refused)
  expect((await redeem(codes[2] ?? '')).ok).toBe(true)
})
