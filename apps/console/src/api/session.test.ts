import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { underOneKey } from './conversations.ts'
import { forgetSession } from './session.ts'

/** Sends the message without getting an answer, and returns its idempotency key. */
async function keyOf(body: object): Promise<string | undefined> {
  let used: string | undefined
  const make = async (key: string) => {
    used = key
    throw new Error('no answer')
  }
  await underOneKey(body, make, () => false).catch(() => undefined)
  return used
}

test('a message without an answer is not sent twice if the session expires before it is repeated', async () => {
  const key = await keyOf({ text: 'hello' })
  forgetSession(new QueryClient())
  expect(await keyOf({ text: 'hello' })).toBe(key)
})

test('after a sign-out, no text of a message without an answer is kept', async () => {
  const key = await keyOf({ text: 'secret' })
  forgetSession(new QueryClient(), 'ada')
  expect(await keyOf({ text: 'secret' })).not.toBe(key)
})
