import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RelayProcess, startRelayProcess } from '../../testing/relay-process.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { raceForKeys } from '../testing/race-for-keys.ts'

const KEYS = 20
const POSTS_OF_A_KEY = 20
const PASSWORD = randomBytes(12).toString('base64url')
const db = useTestDatabase()
const relays: RelayProcess[] = []

beforeAll(async () => {
  const settings = {
    DATABASE_URL: db.url,
    SERVER_SECRET: randomBytes(32).toString('base64'),
    ADMIN_USERNAME: 'sms',
    ADMIN_PASSWORD: PASSWORD,
  }
  relays.push(...(await Promise.all([settings, settings].map(startRelayProcess))))
  const { id: accountId } = await db.database.account.findFirstOrThrow()
  await db.database.device.create({ data: { id: 'd'.repeat(21), accountId, name: 'device' } })
}, 60_000)

afterAll(async () => {
  for (const { kill } of relays) kill('SIGTERM')
  await Promise.all(relays.map(({ ended }) => ended))
})

test('two relays create one message per key, and all requests with the key get the same answer', async () => {
  const { statuses, answersOfAKey, firstsOfAKey } = await raceForKeys({
    relays: relays.map(({ url }) => url),
    auth: `Basic ${Buffer.from(`sms:${PASSWORD}`).toString('base64')}`,
    keys: KEYS,
    postsOfAKey: POSTS_OF_A_KEY,
  })
  expect([...statuses]).toEqual([202])
  expect(await db.database.message.count()).toBe(KEYS)
  expect(await db.database.recipient.count()).toBe(KEYS)
  expect(answersOfAKey).toEqual(Array(KEYS).fill(1))
  expect(firstsOfAKey).toEqual(Array(KEYS).fill(1))
}, 60_000)
