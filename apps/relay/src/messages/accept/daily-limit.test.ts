// Shows that the daily limit of an API key is exact, even if many connections and relays use the key at the same time.
import { expect, test } from 'vitest'
import { callUrl } from '../../testing/call-url.ts'
import { useTwoRelays } from '../../testing/two-relays.ts'

const CONNECTIONS = 50
const LIMIT = 100
const relays = useTwoRelays()

async function createKey(recipientsPerDay: number): Promise<string> {
  const body = { name: 'racer', scopes: ['messages:send'], limits: { recipientsPerDay } }
  const { status, json } = await callUrl('POST', relays.urlOf(0, '/keys'), { auth: relays.auth, body })
  expect(status).toBe(201)
  return json.key
}

async function recipientsOf(key: string): Promise<number> {
  const [, , id = ''] = key.split('_')
  const sent = await relays.database.message.findMany({ where: { sentByKeyId: id }, include: { recipients: true } })
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
      const answer = await callUrl('POST', relays.urlOf(index, '/messages'), { auth, body, headers: headersOf(index) })
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
})

test('repetitions of a request count once, even if they are concurrent', async () => {
  const key = await createKey(LIMIT)
  // Each request is sent three times, over connections to both relays. A repetition has as many recipients as the
  // original.
  await race([`Bearer ${key}`], 3, (index) => ({ 'idempotency-key': `once ${Math.floor(index / 3) % 9} ${index % 3}` }))
  expect(await recipientsOf(key)).toBe(9 * (1 + 2 + 3))
})

test('two keys that are used at the same time have separate limits', async () => {
  const keys = [await createKey(40), await createKey(70)]
  await race(
    keys.map((key) => `Bearer ${key}`),
    3,
    () => ({}),
  )
  expect([await recipientsOf(keys[0] ?? ''), await recipientsOf(keys[1] ?? '')]).toEqual([40, 70])
})
