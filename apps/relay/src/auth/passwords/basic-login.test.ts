import { setTimeout } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { changePassword } from '../../accounts/change-password.ts'
import { createAccount } from '../../accounts/create-account.ts'
import { generatePassword } from '../../accounts/generated-password.ts'
import { removeAccount } from '../../accounts/remove-account.ts'
import { systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import { useSlowHashes } from '../../testing/password-cost.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { BasicLogin } from './basic-login.ts'

const box = secretBox('a secret that is long enough to be one', systemRandom)
/** Counts the hashes that were computed for each password. Computing a hash begins with a call of `fingerprint`. */
const fingerprint = vi.spyOn(box, 'fingerprint')
// Attempts wait for places in the queue of checks only if checks take time.
useSlowHashes()
const world = useTestDatabase()
let nowMs: number
let username: string
let accountId: string
const clock = { now: () => new Date(nowMs) }
const HOME = '203.0.113.7'
const ELSEWHERE = '198.51.100.9'

let accounts = 0
beforeEach(async () => {
  nowMs = Date.UTC(2026, 2, 1)
  username = `user${accounts++}`
  accountId =
    (await createAccount({ ...world, random: systemRandom, box }, { username, password: 'right password' })) ?? ''
  fingerprint.mockClear()
})

const newRelay = () => new BasicLogin({ ...world, box, clock, random: systemRandom })
const right = (address = HOME) => ({ username, password: 'right password', address })
const wrong = (address = HOME, password = 'wrong password') => ({ username, password, address })
const hashes = () =>
  fingerprint.mock.calls.filter(([text, purpose]) => purpose === 'password' && !OF_UNKNOWN_ACCOUNTS.test(text)).length
const hashesOf = (password: string) =>
  fingerprint.mock.calls.filter(([text, purpose]) => purpose === 'password' && text === password).length
/** The password of the dummy hash for unknown accounts. A relay computes this hash at its first check. */
const OF_UNKNOWN_ACCOUNTS = /^[\w-]{21}$/

async function status(login: Promise<object | undefined>): Promise<number> {
  return login.then(
    (account) => (account ? 200 : 401),
    (error: { status: number }) => error.status,
  )
}

async function guessUntilRefused(relay: BasicLogin, address = HOME): Promise<void> {
  for (let guess = 0; guess < 10; guess++) expect(await status(relay.check(wrong(address, `guess ${guess}`)))).toBe(401)
  expect(await status(relay.check(wrong(address)))).toBe(429)
}

test('a right password is hashed once a minute, counted from the last check and not from the last use', async () => {
  const relay = newRelay()
  for (const seconds of [0, 1, 20, 40, 59]) {
    nowMs = Date.UTC(2026, 2, 1, 0, 0, seconds)
    expect(await relay.check(right())).toMatchObject({ accountId, username })
  }
  expect(hashes()).toBe(1)
  nowMs = Date.UTC(2026, 2, 1, 0, 1, 0)
  expect(await status(relay.check(right()))).toBe(200)
  expect(hashes()).toBe(2)
})

test('many concurrent first requests cost one hash and do not count as guesses', async () => {
  const relay = newRelay()
  const answers = await Promise.all(Array.from({ length: 200 }, () => status(relay.check(right()))))
  expect(new Set(answers)).toEqual(new Set([200]))
  expect(hashes()).toBe(1)
})

test('an unknown name costs the same hash as a wrong password', async () => {
  const relay = newRelay()
  expect(await status(relay.check({ username: 'nobody', password: 'right password', address: HOME }))).toBe(401)
  expect(await status(relay.check({ username: 'a\u0000b', password: 'right password', address: HOME }))).toBe(401)
  expect(await status(relay.check({ username: '', password: '', address: HOME }))).toBe(401)
  expect(await status(relay.check({ username, password: 'x'.repeat(10_000), address: HOME }))).toBe(401)
  expect(hashes()).toBe(4)
})

test('wrong guesses are refused before they are hashed, with the time to wait', async () => {
  const relay = newRelay()
  await guessUntilRefused(relay)
  const before = hashes()
  await expect(relay.check(wrong())).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '6' } })
  expect(hashes()).toBe(before)
})

test('a thousand concurrent guesses cost ten hashes', async () => {
  const relay = newRelay()
  const guesses = Array.from({ length: 1_000 }, (_, index) => status(relay.check(wrong(HOME, `guess ${index}`))))
  const answers = await Promise.all(guesses)
  expect(answers.filter((answer) => answer === 401)).toHaveLength(10)
  expect(answers.filter((answer) => answer === 429)).toHaveLength(990)
  expect(hashes()).toBe(10)
})

test('the owner can log in from one address while another address is refused', async () => {
  const relay = newRelay()
  await guessUntilRefused(relay)
  expect(await status(relay.check(right(ELSEWHERE)))).toBe(200)
})

test('a recent login is accepted from the address of a flood, even when it is no longer cached', async () => {
  const relay = newRelay()
  await relay.check(right())
  await guessUntilRefused(relay)
  for (const minutes of [0, 1, 5, 60]) {
    nowMs = Date.UTC(2026, 2, 1, 0, minutes)
    expect(await status(relay.check(right()))).toBe(200)
  }
})

test('a login at one address does not speed up guesses at another address, not even while it is cached', async () => {
  const relay = newRelay()
  await relay.check(right())
  await guessUntilRefused(relay, ELSEWHERE)
  for (const minutes of [0, 1, 5]) {
    nowMs = Date.UTC(2026, 2, 1, 0, minutes)
    expect(await status(relay.check(right()))).toBe(200)
    // Uses up the guesses that became available in the meantime.
    while ((await status(relay.check(wrong(ELSEWHERE)))) === 401);
    expect(await status(relay.check(right(ELSEWHERE)))).toBe(429)
  }
  const together = [relay.check(right()), relay.check(right(ELSEWHERE))]
  expect(await Promise.all(together.map(status))).toEqual([200, 429])
})

test('a cached login is hashed once more at each further address', async () => {
  const relay = newRelay()
  for (const address of [HOME, ELSEWHERE, HOME, ELSEWHERE]) await relay.check(right(address))
  expect(hashes()).toBe(2)
  // From then on, the login is known at this address.
  await guessUntilRefused(relay, ELSEWHERE)
  nowMs += 120_000
  expect(await status(relay.check(right(ELSEWHERE)))).toBe(200)
})

test('while the queue is full, a cached login at an unknown address is answered only after a hash', async () => {
  const relay = newRelay()
  await relay.check(right())
  // Fewer guesses than one address may send, but more than the queue can hold.
  const guesses = Array.from({ length: 90 }, (_, index) =>
    status(relay.check({ username: `name-${index}`, password: 'guess', address: ELSEWHERE })),
  )
  const before = hashesOf('right password')
  expect(await status(relay.check(right(ELSEWHERE)))).toBe(200)
  expect(hashesOf('right password')).toBe(before + 1)
  expect(await Promise.all(guesses)).toContain(429)
})

test.each([
  ['within the limit of the address, which fill the queue', { guesses: 90, behind: 0, password: 'right password' }],
  ['beyond the limit of the address', { guesses: 110, behind: 20, password: 'right password' }],
  ['which fill the queue, with a generated password', { guesses: 90, behind: 0, password: '' }],
])(
  'an owner waits for few hashes during guesses from the same address %s',
  async (_, { guesses, behind, password }) => {
    // The test decides when reserved checks are given.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const relay = newRelay()
    const owner = { username: `owner${accounts}`, password: password || generatePassword(box, systemRandom) }
    await createAccount({ ...world, random: systemRandom, box }, owner)
    await relay.check({ ...owner, address: HOME })
    const flood = Array.from({ length: guesses }, (_, index) =>
      status(relay.check({ username: `name-${index}`, password: 'guess', address: ELSEWHERE })),
    )
    // For an unknown account, the empty password is hashed.
    await expect.poll(() => hashesOf('')).toBeGreaterThanOrEqual(behind)
    const before = hashesOf('')
    let waitedFor: number | undefined
    const login = status(relay.check({ ...owner, address: ELSEWHERE })).finally(() => {
      waitedFor = hashesOf('') - before
    })
    while (waitedFor === undefined) {
      await setTimeout(100)
      // A generated password needs no reserved check.
      if (password !== '' || hashesOf('') > 60) vi.advanceTimersByTime(250)
    }
    expect(await login).toBe(200)
    // At the end of the queue, the owner would wait for more than forty.
    expect(waitedFor).toBeLessThan(35)
    // A guess begins to wait for a reserved check only after a look-up in the database.
    let isAnswered = false
    const answers = Promise.all(flood).finally(() => {
      isAnswered = true
    })
    while (!isAnswered) {
      vi.advanceTimersByTime(250)
      await setTimeout(20)
    }
    await answers
  },
)

test('guesses from hundreds of addresses do not delay an owner whose login is remembered', async () => {
  const relay = newRelay()
  await relay.check(right())
  nowMs += 120_000
  const flood = Array.from({ length: 200 }, (_, index) =>
    status(relay.check(wrong(`198.51.100.${index}`, `guess ${index}`))),
  )
  const before = hashes()
  expect(await status(relay.check(right()))).toBe(200)
  // The login waits only for hashes that are already in progress.
  expect(hashes() - before).toBeLessThanOrEqual(4)
  expect(new Set(await Promise.all(flood))).toEqual(new Set([401, 429]))
})

test('a changed password ends remembered logins, at once on this relay and within two seconds on other relays', async () => {
  const here = newRelay()
  const elsewhere = newRelay()
  for (const relay of [here, elsewhere]) expect(await status(relay.check(right()))).toBe(200)
  await changePassword(
    { ...world, box, clock },
    { id: accountId, username },
    { password: 'new password', keepTokens: true },
  )
  here.forget(accountId)
  expect(await status(here.check(right()))).toBe(401)
  nowMs += 2_000
  expect(await status(elsewhere.check(right()))).toBe(401)
})

test('a new password is accepted at once on every relay', async () => {
  const elsewhere = newRelay()
  await elsewhere.check(right())
  await changePassword(
    { ...world, box, clock },
    { id: accountId, username },
    { password: 'new password', keepTokens: true },
  )
  const before = hashes()
  for (let request = 0; request < 5; request++)
    expect(await status(elsewhere.check({ username, password: 'new password', address: HOME }))).toBe(200)
  expect(hashes() - before).toBe(1)
})

test('a removed account is refused within two seconds', async () => {
  const relay = newRelay()
  await relay.check(right())
  await removeAccount(world.database, clock, accountId)
  nowMs += 2_000
  expect(await status(relay.check(right()))).toBe(401)
})

test('an ü matches in either Unicode form', async () => {
  await createAccount({ ...world, random: systemRandom, box }, { username: 'müller', password: 'grüße dich' })
  const decomposed = { username: 'mu\u0308ller', password: 'gru\u0308ße dich', address: HOME }
  expect(await status(newRelay().check(decomposed))).toBe(200)
})

test('all spellings of a name share one limit', async () => {
  await createAccount({ ...world, random: systemRandom, box }, { username: 'ångström', password: 'right password' })
  const spellings = ['å', 'a\u030a'].flatMap((a) => ['ö', 'o\u0308'].map((o) => `${a}ngstr${o}m`))
  const relay = newRelay()
  const results: number[] = []
  for (const [index, name] of Array(4).fill(spellings).flat().entries())
    results.push(await status(relay.check({ username: name, password: `guess ${index}`, address: HOME })))
  expect(results.filter((result) => result === 401)).toHaveLength(10)
  expect(results.slice(10)).toEqual(Array(results.length - 10).fill(429))
})
