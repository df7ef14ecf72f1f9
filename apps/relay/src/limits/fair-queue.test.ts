import { expect, test } from 'vitest'
import { FairQueue, URGENT } from './fair-queue.ts'

test('never runs more than its slots', async () => {
  const queue = new FairQueue({ slots: 2, places: 100 })
  let running = 0
  let most = 0
  const task = async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise(setImmediate)
    running -= 1
  }
  await Promise.all(Array.from({ length: 50 }, () => queue.run('a', task)))
  expect(most).toBe(2)
  expect(running).toBe(0)
})

test('runs tasks of the groups alternately, urgent tasks first', async () => {
  const { order, add, release } = slowQueue({ slots: 1, places: 100 })
  for (const group of ['a', 'a', 'a', 'a', 'b', 'b', 'c', URGENT, URGENT]) add(group)
  await release()
  expect(order.join(' ')).toBe(`a ${URGENT} ${URGENT} a b c a b a`)
})

test('a full queue drops a task of the largest group, which can be the group of the new task', async () => {
  const { order, add, release } = slowQueue({ slots: 1, places: 4 })
  const results = ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'c', 'b'].map(add)
  await release()
  expect(order.join(' ')).toBe('a a b c b')
  expect((await Promise.all(results)).filter((result) => result === undefined)).toHaveLength(4)
})

test('an urgent task is never dropped', async () => {
  const { order, add, release } = slowQueue({ slots: 1, places: 3 })
  for (const group of ['a', 'b', 'c', 'd', URGENT]) add(group)
  await release()
  expect(order.slice(0, 2)).toEqual(['a', URGENT])
})

test('a further urgent task is never dropped while tasks of other groups wait', async () => {
  const { order, add, release } = slowQueue({ slots: 1, places: 3 })
  const results = ['a', 'b', 'c', URGENT, URGENT, URGENT, URGENT].map(add)
  await release()
  expect(order).toEqual(['a', URGENT, URGENT, URGENT])
  expect((await Promise.all(results)).map((result) => result !== undefined)).toEqual([
    true,
    false,
    false,
    true,
    true,
    true,
    false,
  ])
})

test('continues after a task that fails', async () => {
  const queue = new FairQueue({ slots: 1, places: 10 })
  const failed = queue.run('a', () => Promise.reject(new Error('broken')))
  const next = queue.run('a', () => Promise.resolve('done'))
  await expect(failed).rejects.toThrow('broken')
  expect(await next).toBe('done')
})

/** Returns a queue whose first task keeps its slot until the task is released. */
function slowQueue(limits: { slots: number; places: number }) {
  const queue = new FairQueue(limits)
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const results: Promise<unknown>[] = []
  const add = (group: string) => {
    const result = queue.run(group, async () => {
      order.push(group)
      await gate.promise
      return group
    })
    results.push(result)
    return result
  }
  const release = () => {
    gate.resolve()
    return Promise.all(results)
  }
  return { order, add, release }
}
