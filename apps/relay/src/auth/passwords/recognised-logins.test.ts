// Owners log in to relays that have just started, while somebody floods the relays with guesses from the same address.
import { beforeEach, expect, test } from 'vitest'
import { changePassword } from '../../accounts/change-password.ts'
import { createAccount } from '../../accounts/create-account.ts'
import { generatePassword } from '../../accounts/generated-password.ts'
import { systemClock } from '../../clock.ts'
import { systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import { useSlowHashes } from '../../testing/password-cost.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { BasicLogin } from './basic-login.ts'
import { deleteOldRecognisedLogins } from './delete-old-recognised-logins-statement.ts'

const box = secretBox('a secret that is long enough to be one', systemRandom)
const foreignBox = secretBox('the secret of another installation', systemRandom)
const HOME = '203.0.113.7'
const PASSWORD = 'right password'
// Attempts wait for places in the queue of checks only if checks take time.
useSlowHashes()
const world = useTestDatabase()
let username: string
let accountId: string
let accounts = 0

beforeEach(async () => {
  username = `user${accounts++}`
  const account = { username, password: PASSWORD }
  accountId = (await createAccount({ ...world, random: systemRandom, box }, account)) ?? ''
})

/**
 * Returns a BasicLogin that remembers no logins, as after a restart. Its clock stands still, because on a busy machine
 * the checks take so long that the limits would allow more attempts.
 */
const newRelay = (clock = stoppedClock()) => new BasicLogin({ ...world, box, clock, random: systemRandom })
const stoppedClock = (now = new Date()) => ({ now: () => now })
const rows = () => world.database.recognisedLogin.findMany({ where: { accountId } })

function status(relay: BasicLogin, name = username, password = PASSWORD, address = HOME): Promise<number> {
  return relay.check({ username: name, password, address }).then(
    (account) => (account ? 200 : 401),
    (error: { status: number }) => error.status,
  )
}

/** Sends wrong passwords for the name until the relay refuses further attempts from this address. */
async function flood(relay: BasicLogin, name = username): Promise<void> {
  const guesses = await Promise.all(Array.from({ length: 30 }, (_, index) => status(relay, name, `guess ${index}`)))
  expect(guesses).toContain(429)
}

/** Logs in and waits until the login is stored. */
async function logIn(address = HOME): Promise<void> {
  expect(await status(newRelay(), username, PASSWORD, address)).toBe(200)
  await expect.poll(async () => (await rows()).length).toBeGreaterThan(0)
}

test('an owner can log in after a restart during guesses at the account from the same address', async () => {
  await logIn()
  const restarted = newRelay()
  await flood(restarted)
  expect(await status(restarted)).toBe(200)
  expect(await status(restarted, username, 'another guess')).toBe(429)
})

test('a login that was cached at another address is recognised at this address, too', async () => {
  const relay = newRelay()
  expect(await status(relay, username, PASSWORD, '198.51.100.9')).toBe(200)
  for (let time = 0; time < 3; time++) expect(await status(relay)).toBe(200)
  await expect.poll(async () => (await rows()).length).toBe(2)
  const restarted = newRelay()
  await flood(restarted)
  expect(await status(restarted)).toBe(200)
})

test('a login of the owner at another address does not speed up the check of guesses from this address', async () => {
  await logIn('198.51.100.9')
  const restarted = newRelay()
  await flood(restarted)
  expect(await status(restarted)).toBe(429)
})

test('an owner with a generated password who has never logged in is accepted at once during 500 guesses per second', async () => {
  const owner = `${username}-generated`
  const password = generatePassword(box, systemRandom)
  await createAccount({ ...world, random: systemRandom, box }, { username: owner, password })
  const relay = newRelay()
  const wrong = startFlood((index) => status(relay, owner, `guess ${index}`))
  await wrong.more(200)
  // Counts checked guesses instead of measuring time, because checks take longer on a busy machine.
  const before = wrong.checked
  expect(await status(relay, owner, password)).toBe(200)
  expect(wrong.checked - before).toBeLessThanOrEqual(10)
  expect(await wrong.stop()).toContain(429)
})

test('a guess in the form of a generated password is limited like any other guess', async () => {
  const relay = newRelay()
  await flood(relay)
  for (let guess = 0; guess < 20; guess++)
    expect(await status(relay, username, generatePassword(foreignBox, systemRandom))).toBe(429)
})

test('a generated password that is wrong is checked ten times, and then limited like any other', async () => {
  const now = new Date()
  const relay = newRelay({ now: () => now })
  await flood(relay)
  const outdated = generatePassword(box, systemRandom)
  const results: number[] = []
  for (let attempt = 0; attempt < 30; attempt++) results.push(await status(relay, username, outdated))
  expect(results.filter((result) => result === 401)).toHaveLength(10)
  expect(results.slice(10)).toEqual(Array(20).fill(429))
  const another = generatePassword(box, systemRandom)
  expect(await status(relay, username, another)).toBe(401)
})

test('an owner who chose the password and has never logged in waits as long as a guess does', async () => {
  const relay = newRelay()
  await flood(relay)
  expect(await status(relay)).toBe(429)
})

test('a right password is accepted during 500 wrong passwords per second for the same account', async () => {
  await logIn()
  const relay = newRelay()
  const wrong = startFlood((index) => status(relay, username, `guess ${index}`))
  for (let attempt = 0; attempt < 3; attempt++) {
    await wrong.more(200)
    expect(await status(relay)).toBe(200)
  }
  expect(await wrong.stop()).toContain(429)
})

test('a new password gets a reserved check while guesses from its address fill the queue', async () => {
  const relay = newRelay()
  expect(await status(relay)).toBe(200)
  const change = { password: 'quite another password', keepTokens: true }
  await changePassword({ ...world, box, clock: systemClock }, { id: accountId, username }, change)
  // Fewer guesses than one address may send, but more than the queue can hold.
  const guesses = Array.from({ length: 90 }, (_, index) => status(relay, `name-${index}`, 'guess'))
  expect(await status(relay, username, change.password)).toBe(200)
  await Promise.all(guesses)
})

test('a new password gets one of the next checks during 500 new usernames per second', async () => {
  await logIn()
  const relay = newRelay()
  const wrong = startFlood((index) => status(relay, `new-${index}`, 'guess'))
  await wrong.more(300)
  const change = { password: 'quite another password', keepTokens: true }
  await relay.check({ username, password: PASSWORD, address: HOME })
  await changePassword({ ...world, box, clock: systemClock }, { id: accountId, username }, change)
  // Without a reserved check, the status would be 429.
  expect(await status(relay, username, change.password)).toBe(200)
  expect(await wrong.stop()).toContain(429)
})

test.each([0, 86_400_000])(
  'a relay recognises a login on another relay after a second (an earlier login is %i ms in the future)',
  async (aheadMs) => {
    let nowMs = Date.now()
    const relay = newRelay({ now: () => new Date(nowMs) })
    const seenAt = new Date(nowMs + aheadMs)
    await world.database.recognisedLogin.create({
      data: { loginHash: `${accountId} ahead`, accountId, credentialVersion: 1, seenAt },
    })
    await flood(relay)
    expect(await status(relay)).toBe(429)
    await logIn()
    // The throttle accepts no further attempt within one second, but accepts one after six seconds.
    nowMs += 1_000
    expect(await status(relay)).toBe(200)
  },
)

test('a login is stored after a write that failed', async () => {
  let nowMs = Date.now()
  const relay = newRelay({ now: () => new Date(nowMs) })
  await world.database.$executeRaw`ALTER TABLE recognised_logins RENAME TO unavailable`
  try {
    expect(await status(relay)).toBe(200)
  } finally {
    await world.database.$executeRaw`ALTER TABLE unavailable RENAME TO recognised_logins`
  }
  expect(await rows()).toEqual([])
  nowMs += 61_000
  expect(await status(relay)).toBe(200)
  expect(await rows()).toHaveLength(1)
})

test('neither the password nor the name is stored', async () => {
  await logIn()
  const [row] = await rows()
  expect(row?.loginHash).toMatch(/^[0-9a-f]{64}$/)
  expect(row?.loginHash).not.toBe(
    secretBox('another secret of a server', systemRandom).fingerprint(
      `${HOME} ${username}:${PASSWORD}`,
      'recognised login',
    ),
  )
})

test('a changed password deletes recognised logins', async () => {
  await logIn()
  const change = { password: 'quite another password', keepTokens: true }
  await changePassword({ ...world, box, clock: systemClock }, { id: accountId, username }, change)
  expect(await rows()).toEqual([])
  const restarted = newRelay()
  await flood(restarted)
  expect(await status(restarted)).toBe(429)
})

test('an account keeps its hundred latest recognised logins for thirty days', async () => {
  const relay = newRelay()
  const old = { accountId, credentialVersion: 1, seenAt: new Date(Date.now() - 31 * 86_400_000) }
  const data = Array.from({ length: 150 }, (_, index) => ({ ...old, loginHash: `${accountId} ${index}` }))
  await world.database.recognisedLogin.createMany({ data })
  await status(relay)
  await expect.poll(async () => (await rows()).length).toBe(100)
  await deleteOldRecognisedLogins(world.database)
  expect(await rows()).toHaveLength(1)
})

test('guesses at other accounts from the same address leave a reserved check for a name without guesses', async () => {
  const relay = newRelay()
  const names = Array.from({ length: 20 }, (_, index) => `someone-${index}`)
  await Promise.all(Array.from({ length: 150 }, (_, index) => status(relay, names[index % 20], `guess ${index}`)))
  const more = names.map((name) => status(relay, name, 'one more guess'))
  expect(await status(relay)).toBe(200)
  await Promise.all(more)
})

/** Starts 500 attempts per second. `stop` ends them and returns their statuses. */
function startFlood(attempt: (index: number) => Promise<number>) {
  const attempts: Promise<number>[] = []
  let checked = 0
  const begin = async () => {
    const result = await attempt(attempts.length)
    if (result === 401) checked += 1
    return result
  }
  const timer = setInterval(() => {
    for (let each = 0; each < 10; each++) attempts.push(begin())
  }, 20)
  return {
    /** How many passwords have been checked. The other attempts were refused without a check. */
    get checked() {
      return checked
    },
    /** Waits for this number of further attempts. */
    async more(count: number) {
      const wanted = attempts.length + count
      await expect.poll(() => attempts.length).toBeGreaterThanOrEqual(wanted)
    },
    stop() {
      clearInterval(timer)
      return Promise.all(attempts)
    },
  }
}
