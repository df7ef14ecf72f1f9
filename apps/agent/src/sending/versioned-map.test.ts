import { expect, test } from 'vitest'
import { VersionedMap } from './versioned-map.ts'

test('has the entries that it was made with', () => {
  const map = new VersionedMap(
    new Map([
      ['a', 1],
      ['b', 2],
    ]),
  )
  expect([...map]).toEqual([
    ['a', 1],
    ['b', 2],
  ])
  expect([map.size, map.get('a'), map.get('c'), map.has('b'), map.has('c')]).toEqual([2, 1, undefined, true, false])
})

test('a changed entry keeps its place, and a new entry comes last', () => {
  const map = new VersionedMap(
    new Map([
      ['a', 1],
      ['b', 2],
    ]),
  )
  expect([...map.with('c', 3).with('a', 4).entries()]).toEqual([
    ['a', 4],
    ['b', 2],
    ['c', 3],
  ])
})

test('returns the same version when a missing entry is removed', () => {
  const map = new VersionedMap(new Map([['a', 1]]))
  expect(map.without('b')).toBe(map)
})

test('keeps every version as it was, whichever version is read or changed next', () => {
  // Tries all sequences of three changes to two keys. Each change is applied to each of the versions that exist before
  // it.
  const changes = ['a', 'b'].flatMap((key) => [undefined, 1, 2].map((value) => ({ key, value })))
  const grow = (made: readonly (Change & { readonly version: number })[]): void => {
    if (made.length === 3) {
      checkVersions(made)
      return
    }
    for (const change of changes) {
      for (let version = 0; version <= made.length; version += 1) grow([...made, { ...change, version }])
    }
  }
  grow([])
})

interface Change {
  readonly key: string
  /** Undefined if the key is removed. */
  readonly value: number | undefined
}

function checkVersions(changes: readonly (Change & { readonly version: number })[]): void {
  const maps = [new VersionedMap<string, number>()]
  const expected = [new Map<string, number>()]
  for (const { key, value, version } of changes) {
    const map = maps[version] as VersionedMap<string, number>
    const copy = new Map(expected[version])
    if (value === undefined) copy.delete(key)
    else copy.set(key, value)
    maps.push(value === undefined ? map.without(key) : map.with(key, value))
    expected.push(copy)
  }
  // A single comparison, because a call of `expect` for each version takes longer.
  expect(maps.map((map) => [...map].sort())).toEqual(expected.map((map) => [...map].sort()))
}
