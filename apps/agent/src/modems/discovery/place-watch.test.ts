import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { beforeEach, expect, test } from 'vitest'
import type { FoundPlaces } from './find-places.ts'
import { PlaceWatch } from './place-watch.ts'

const clock = new ManualClock()
let looks = 0
let changes = 0
let unusable: readonly string[] = []
let reported: string[] = []
let errors: string[] = []
let find: () => Promise<FoundPlaces>
let change: () => void = () => undefined

beforeEach(() => {
  looks = 0
  changes = 0
  unusable = []
  reported = []
  errors = []
  find = async () => ({ places: [], unlisted: [], unusable })
})

function watch(): PlaceWatch {
  return new PlaceWatch({
    clock,
    find: () => {
      looks += 1
      return find()
    },
    watch: (onChange) => {
      change = onChange
      return () => {
        change = () => undefined
      }
    },
    onFound: () => undefined,
    onChanged: () => {
      changes += 1
    },
    onUnusable: (words) => void reported.push(words),
    onError: ({ message }) => void errors.push(message),
  })
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    clock.advance(100)
    await new Promise<void>((resolve) => process.nextTick(resolve))
  }
}

test('searches once after several changes, and periodically without changes', async () => {
  const watching = watch()
  await watching.start()
  expect(looks).toBe(1)
  for (let event = 0; event < 10; event += 1) change()
  await pass(300)
  expect([looks, changes]).toEqual([2, 1])
  await pass(10_000)
  expect(looks).toBeGreaterThan(4)
  watching.stop()
  const before = looks
  change()
  await pass(10_000)
  expect(looks).toBe(before)
})

test('a request during a search waits for the next search', async () => {
  const ends: ((found: FoundPlaces) => void)[] = []
  find = () => new Promise((resolve) => ends.push(resolve))
  const watching = watch()
  const done: number[] = []
  for (const [number, look] of [watching.look(), watching.look(), watching.look()].entries()) {
    void look.then(() => done.push(number))
  }
  expect(looks).toBe(1)
  ends[0]?.({ places: [], unlisted: [], unusable: [] })
  await pass(100)
  expect([done, looks]).toEqual([[0], 2])
  ends[1]?.({ places: [], unlisted: [], unusable: [] })
  await pass(100)
  expect(done).toEqual([0, 1, 2])
})

test('reports an unusable device once, and only if it stays unusable, because a stick first appears as a disk', async () => {
  const watching = watch()
  unusable = ['a disk']
  await watching.start()
  await pass(10_000)
  unusable = []
  await pass(5_000)
  unusable = ['a disk']
  await pass(10_000)
  expect(reported).toEqual([])
  expect(watching.unusable).toEqual(['a disk'])
  await pass(60_000)
  expect(reported).toEqual(['a disk'])
  watching.stop()
})

test('reports a failed search and searches again', async () => {
  find = () => Promise.reject(new Error('EACCES'))
  const watching = watch()
  await watching.start()
  expect(errors).toEqual(['EACCES'])
  await pass(6_000)
  expect(looks).toBeGreaterThan(1)
  watching.stop()
})
