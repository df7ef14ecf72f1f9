// The daily limit of an API key holds exactly, however many connections and relays use the key at the same time.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callUrl } from '../../testing/call-url.ts'
import { type RelayProcess, startRelayProcess } from '../../testing/relay-process.ts'
import { useTestDatabase } from '../../testing/test-database.ts'

const PASSWORD = randomBytes(12).toString('base64url')
const CONNECTIONS = 50
const LIMIT = 100
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

const urlOf = (index: number) => `${relays[index % relays.length]?.url}/3rdparty/v1`

async function createKey(recipientsPerDay: number): Promise<string> {
  const auth = `Basic ${Buffer.from(`sms:${PASSWORD}`).toString('base64')}`
  const body = { name: 'racer', scopes: ['messages:send'], limits: { recipientsPerDay } }
  const { status, json } = await callUrl('POST', `${urlOf(0)}/keys`, { auth, body })
  expect(status).toBe(201)
  return json.key
}

async function recipientsOf(key: string): Promise<number> {
  const [, , id = ''] = key.split('_')
  const sent = await db.database.message.findMany({ where: { sentByKeyId: id }, include: { recipients: true } })
  return sent.reduce((sum, { recipients }) => sum + recipients.length, 0)
}

/** Posts from many connections at the same time, over both relays. Each connection posts several times. */
async function race(
  auths: readonly string[],
  postsOfEach: number,
  headersOf: (index: number) => Record<string, string>,
) {
  const answers = await Promise.all(
    Array.from({ length: CONNECTIONS * postsOfEach }, async (_, index) => {
      const numbers = Array.from({ length: 1 + (index % 3) }, (_, at) => `+44740012345${at}`)
      const body = { phoneNumbers: numbers, textMessage: { text: 'race' } }
      // Each key is used on both relays.
      const auth = auths[Math.floor(index / 2) % auths.length] as string
      const answer = await callUrl('POST', `${urlOf(index)}/messages`, { auth, body, headers: headersOf(index) })
      return {
        status: answer.status,
        why: `${answer.status} ${answer.json.reason ?? answer.json.message}`,
        count: numbers.length,
      }
    }),
  )
  const refused = answers.filter(({ status }) => status !== 202).map(({ why }) => why)
  expect(refused.filter((why) => why !== '429 key_daily_limit')).toEqual([])
  return answers
}

test('50 connections over two relays reach the limit exactly and never exceed it', async () => {
  const key = await createKey(LIMIT)
  const answers = await race([`Bearer ${key}`], 3, () => ({}))
  const accepted = answers.filter(({ status }) => status === 202).reduce((sum, { count }) => sum + count, 0)
  expect(accepted).toBe(LIMIT)
  expect(await recipientsOf(key)).toBe(LIMIT)
}, 60_000)

test('repeats of the same requests count once, in a race too', async () => {
  const key = await createKey(LIMIT)
  // Each request is sent three times, by connections to both relays, with the same number of recipients.
  await race([`Bearer ${key}`], 3, (index) => ({ 'idempotency-key': `once ${Math.floor(index / 3) % 9} ${index % 3}` }))
  expect(await recipientsOf(key)).toBe(9 * (1 + 2 + 3))
}, 60_000)

test('two keys in the same race have limits of their own', async () => {
  const keys = [await createKey(40), await createKey(70)]
  await race(
    keys.map((key) => `Bearer ${key}`),
    3,
    () => ({}),
  )
  expect([await recipientsOf(keys[0] ?? ''), await recipientsOf(keys[1] ?? '')]).toEqual([40, 70])
}, 60_000)
