import { expect, test } from 'vitest'
import { underOneKey } from './idempotency-keys.ts'

const isAnswer = (error: unknown) => error === 'refused'

/** The keys under which the same was asked for, once for each outcome. */
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

test('what nobody has answered is asked for once more under the same key', async () => {
  const [first, second, third] = await keysOf({ text: 'one' }, ['silence', 'silence', 'done'])
  expect([second, third]).toEqual([first, first])
})

test('what was done, or refused, is another one the next time; and so is anything else', async () => {
  const keys = [...(await keysOf({ text: 'two' }, ['done', 'refused', 'silence'])), ...(await keysOf({}, ['silence']))]
  expect(new Set(keys).size).toBe(4)
})
