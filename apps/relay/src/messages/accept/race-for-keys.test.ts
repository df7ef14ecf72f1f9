import { expect, test } from 'vitest'
import { useTwoRelays } from '../../testing/two-relays.ts'
import { raceForKeys } from '../testing/race-for-keys.ts'

const KEYS = 20
const POSTS_OF_A_KEY = 20
const relays = useTwoRelays()

test('two relays create one message per key, and all requests with the key get the same answer', async () => {
  const { statuses, answersOfAKey, firstsOfAKey } = await raceForKeys({
    relays: relays.urls,
    auth: relays.auth,
    keys: KEYS,
    postsOfAKey: POSTS_OF_A_KEY,
  })
  expect([...statuses]).toEqual([202])
  expect(await relays.database.message.count()).toBe(KEYS)
  expect(await relays.database.recipient.count()).toBe(KEYS)
  expect(answersOfAKey).toEqual(Array(KEYS).fill(1))
  expect(firstsOfAKey).toEqual(Array(KEYS).fill(1))
})
