import { expect, test } from 'vitest'
import { LargeBodies } from './large-bodies.ts'

/**
 * Returns whether the promise was fulfilled (`entered`), was rejected (`refused`), or has not settled yet (`waiting`).
 */
async function settled(entering: Promise<() => void>): Promise<'entered' | 'refused' | 'waiting'> {
  // Node reports a rejection without a handler. The handlers below are added too late.
  entering.catch(() => undefined)
  await new Promise((resolve) => setImmediate(resolve))
  return await Promise.race([
    entering.then(
      () => 'entered' as const,
      () => 'refused' as const,
    ),
    new Promise<'waiting'>((resolve) => setImmediate(resolve, 'waiting')),
  ])
}

test('bodies wait until there is room, and the oldest body enters first', async () => {
  const bodies = new LargeBodies({ mostBytes: 100, waitMs: 10_000 })
  const leave = await bodies.enter('a', 50)
  const leaveOther = await bodies.enter('b', 40)
  const large = bodies.enter('c', 50)
  const small = bodies.enter('d', 50)
  expect([await settled(large), await settled(small)]).toEqual(['waiting', 'waiting'])
  leaveOther()
  expect([await settled(large), await settled(small)]).toEqual(['entered', 'waiting'])
  leave()
  leave()
  expect(await settled(small)).toBe('entered')
  expect(await settled(bodies.enter('e', 1))).toBe('waiting')
})

test('one account takes at most half of the room', async () => {
  const bodies = new LargeBodies({ mostBytes: 100, waitMs: 10_000 })
  await bodies.enter('a', 40)
  expect(await settled(bodies.enter('a', 40))).toBe('waiting')
  expect(await settled(bodies.enter('b', 40))).toBe('entered')
})

test('the bodies of one account use only some of the waiting slots', async () => {
  const bodies = new LargeBodies({ mostBytes: 100, waitMs: 10_000 })
  await bodies.enter('a', 50)
  await bodies.enter('b', 50)
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => settled(bodies.enter('a', 10))))
  expect(outcomes.filter((one) => one === 'refused')).toHaveLength(75)
  expect(await settled(bodies.enter('c', 10))).toBe('waiting')
})

test('a body that is larger than the room of its account enters alone', async () => {
  const bodies = new LargeBodies({ mostBytes: 100, waitMs: 10_000 })
  const leave = await bodies.enter('a', 200)
  const next = bodies.enter('b', 1)
  expect(await settled(next)).toBe('waiting')
  leave()
  expect(await settled(next)).toBe('entered')
})

test('a body that waits too long is refused with 503, and uses no room', async () => {
  const bodies = new LargeBodies({ mostBytes: 100, waitMs: 10 })
  const leave = await bodies.enter('a', 100)
  await expect(bodies.enter('b', 50)).rejects.toMatchObject({ status: 503 })
  leave()
  expect(await settled(bodies.enter('c', 50))).toBe('entered')
})
