import { expect, test } from 'vitest'
import { FreshLookup } from './fresh-lookup.ts'

test('queries a frequently used row about once a second', async () => {
  const world = rows({ a: 1 })
  for (let ms = 0; ms < 10_000; ms += 10) {
    world.nowMs = ms
    expect(await world.lookup.get('a')).toEqual({ value: 1 })
    await world.answer()
  }
  expect(world.queries.length).toBeGreaterThanOrEqual(8)
  expect(world.queries.length).toBeLessThanOrEqual(11)
})

test('returns a change within two seconds, whenever the change happens', async () => {
  for (let changedMs = 0; changedMs < 3_000; changedMs += 100) {
    const world = rows({ a: 1 })
    let seenMs = Number.POSITIVE_INFINITY
    for (let ms = 0; ms <= 6_000; ms += 50) {
      world.nowMs = ms
      if (ms === changedMs) world.values['a'] = 2
      const row = await world.lookup.get('a')
      if (row?.value === 2) seenMs = Math.min(seenMs, ms)
    }
    expect(seenMs - changedMs).toBeLessThanOrEqual(2_000)
  }
})

test('reads a row again that was not used for a while', async () => {
  const world = rows({ a: 1 })
  await world.lookup.get('a')
  world.values['a'] = 2
  world.nowMs = 2_000
  expect(await world.lookup.get('a')).toEqual({ value: 2 })
})

test('a thousand concurrent callers share one query, and callers during that query share the next one', async () => {
  const world = rows({ a: 1, b: 2 }, { isManual: true })
  const early = Array.from({ length: 1_000 }, (_, index) => world.lookup.get(index % 2 ? 'a' : 'b'))
  await Promise.resolve()
  const late = Array.from({ length: 1_000 }, () => world.lookup.get('c'))
  await world.answer()
  await Promise.all(early)
  await world.answer()
  expect(await Promise.all(late)).toEqual(Array.from({ length: 1_000 }, () => undefined))
  expect(world.queries).toEqual([['b', 'a'], ['c']])
})

test('reads a discarded row again, even if a query for the row is running', async () => {
  const world = rows({ a: 1 }, { isManual: true })
  const before = world.lookup.get('a')
  await Promise.resolve()
  const readBefore = world.values['a']
  world.values['a'] = 2
  world.lookup.forget((_, id) => id === 'a')
  const after = world.lookup.get('a')
  await world.answer({ a: readBefore ?? 0 })
  expect(await before).toEqual({ value: 1 })
  await world.answer()
  expect(await after).toEqual({ value: 2 })
  expect(await world.lookup.get('a')).toEqual({ value: 2 })
})

test('discarding one row does not discard the rows of a query for other rows', async () => {
  const world = rows({ a: 1, b: 1 }, { isManual: true })
  const reading = world.lookup.get('a')
  await Promise.resolve()
  world.lookup.forgetOne('b')
  await world.answer()
  await reading
  expect(await world.lookup.get('a')).toEqual({ value: 1 })
  expect(world.queries).toEqual([['a']])
})

test('does not cache a deleted row', async () => {
  const world = rows({ a: 1 })
  await world.lookup.get('a')
  delete world.values['a']
  world.nowMs = 1_900
  expect(await world.lookup.get('a')).toBeUndefined()
})

test('fails without the database when its rows are too old, and recovers', async () => {
  const world = rows({ a: 1 })
  await world.lookup.get('a')
  world.isAway = true
  world.nowMs = 1_500
  expect(await world.lookup.get('a')).toEqual({ value: 1 })
  world.nowMs = 1_900
  await expect(world.lookup.get('a')).rejects.toThrow('away')
  world.isAway = false
  expect(await world.lookup.get('a')).toEqual({ value: 1 })
})

test('does not extend the age of a row when the clock is set back', async () => {
  const world = rows({ a: 1 })
  world.nowMs = 100_000
  await world.lookup.get('a')
  world.values['a'] = 2
  world.nowMs = 50_000
  expect(await world.lookup.get('a')).toEqual({ value: 2 })
})

function rows(values: Record<string, number>, { isManual = false } = {}) {
  const waiting: ((snapshot?: Record<string, number>) => void)[] = []
  const world = { values, nowMs: 0, isAway: false, queries: [] as string[][] }
  async function load(ids: string[]) {
    world.queries.push(ids)
    if (world.isAway) throw new Error('away')
    const snapshot = isManual
      ? await new Promise<Record<string, number> | undefined>((go) => waiting.push(go))
      : undefined
    const found = snapshot ?? world.values
    return new Map(ids.filter((id) => id in found).map((id) => [id, { value: found[id] ?? 0 }]))
  }
  /** Answers the waiting query with these values. */
  async function answer(snapshot?: Record<string, number>): Promise<void> {
    waiting.shift()?.(snapshot)
    await new Promise(setImmediate)
  }
  const lookup = new FreshLookup<{ value: number }>({ nowMs: () => world.nowMs, size: 100, load })
  return Object.assign(world, { answer, lookup })
}
