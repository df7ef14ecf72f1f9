import { expect, test } from 'vitest'
import { underOneKey } from '../conversations.ts'

const isAnswer = (error: unknown) => error === 'refused'

/** The idempotency keys of equal requests, one request per outcome. */
async function keysOf(body: object, outcomes: readonly ('done' | 'refused' | 'silence')[]): Promise<readonly string[]> {
  const keys: string[] = []
  for (const outcome of outcomes) {
    const make = async (key: string) => {
      keys.push(key)
      if (outcome !== 'done') throw outcome
    }
    await underOneKey(body, make, isAnswer).catch(() => undefined)
  }
  return keys
}

test('a request without an answer is repeated with the same key', async () => {
  const [first, second, third] = await keysOf({ text: 'one' }, ['silence', 'silence', 'done'])
  expect([second, third]).toEqual([first, first])
})

test('after an answer, and for another body, a request gets a new key', async () => {
  const keys = [...(await keysOf({ text: 'two' }, ['done', 'refused', 'silence'])), ...(await keysOf({}, ['silence']))]
  expect(new Set(keys).size).toBe(4)
})
