import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestDirectory } from '../testing/test-router.ts'
import { TooManyLookups } from './claim-lookup.ts'
import { Placements } from './placements.ts'

let directory: TestDirectory
let placements: Placements

beforeEach(async () => {
  directory = new TestDirectory({ one: [], two: [] })
  placements = new Placements({
    directory,
    log: { info: () => undefined, warn: () => undefined },
    onCells: () => undefined,
    nowMs: () => performance.now(),
  })
  await placements.start()
})
afterEach(() => placements.close())

const user = (name: string) => ({ kind: 'user', name }) as const
const find = async (name: string) => (await placements.accountOf([user(name)])).accountId
const poll = (isSo: () => boolean) => expect.poll(isSo, { timeout: 60_000 }).toBe(true)

test('a flood of unknown credentials causes few searches, and is cached', async () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `nobody ${at}`)
  const found = await Promise.all([...names, ...names].map(find))
  expect(found.every((accountId) => accountId === undefined)).toBe(true)
  const { finds, drains } = directory
  expect([finds <= 12, drains <= 6]).toEqual([true, true])
  await Promise.all(names.map(find))
  expect([directory.finds, directory.drains]).toEqual([finds, drains])
})

test('known credentials do not wait for the search for unknown ones', async () => {
  let isSearchOver = false
  const slow = Promise.withResolvers<boolean>()
  directory.drainFeeds = () => slow.promise
  const unknown = find('nobody').then(() => {
    isSearchOver = true
  })
  expect(await find('alice')).toBe('alice')
  expect(isSearchOver).toBe(false)
  slow.resolve(true)
  await unknown
})

test('a credential that was created a moment ago is found by the search', async () => {
  directory.drainFeeds = async () => {
    directory.place('carol', 'two')
    return true
  }
  expect(await find('carol')).toBe('carol')
})

test.each(['a\0b', 'x'.repeat(257)])('a name that no relay accepts is not searched for: %j', async (name) => {
  expect(await placements.accountOf([user(name)])).toEqual({ accountId: undefined, isCertain: true })
  expect(directory.finds).toBe(0)
})

test('an unknown credential is uncertain while a cell cannot be read', async () => {
  directory.isComplete = false
  expect(await placements.accountOf([user('nobody')])).toEqual({ accountId: undefined, isCertain: false })
})

test('too many different credentials at once are refused, and memory stays bounded', async () => {
  const names = Array.from({ length: 30_000 }, (_, at) => `nobody ${at}`)
  const results = await Promise.allSettled(names.map(find))
  const refused = results.filter((result) => result.status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  for (const { reason } of refused) expect(reason).toBeInstanceOf(TooManyLookups)
})

test('known accounts are still routed while the directory is unavailable, and unknown ones fail', async () => {
  expect([await find('alice'), await placements.cellOf('alice')]).toEqual(['alice', 'one'])
  directory.isAvailable = false
  expect([await find('alice'), await placements.cellOf('alice')]).toEqual(['alice', 'one'])
  await expect(find('bob')).rejects.toThrow('unavailable')
})

test('a move is reported as seen when the work of the account has ended, and not before', async () => {
  await find('alice')
  let hasEnded = false
  const leave = placements.enter('alice', 'one', {
    end: () => {
      hasEnded = true
    },
  })
  directory.place('alice', 'one', true)
  await poll(() => hasEnded)
  expect(directory.seen.at(-1)).toBeLessThan(directory.change)
  expect(placements.enter('alice', 'one', { end: () => undefined })).toBeUndefined()
  expect(await placements.cellOf('alice')).toBeUndefined()
  leave?.()
  await poll(() => directory.seen.at(-1) === directory.change)
  directory.place('alice', 'two')
  await placements.untilMoved('alice', 60_000)
  expect(await placements.cellOf('alice')).toBe('two')
})

test('an answer that is older than a move does not bring the old cell back', async () => {
  const { find: original } = directory
  const late = Promise.withResolvers<void>()
  directory.find = async (claims) => {
    const answer = await original.call(directory, claims)
    await late.promise
    return answer
  }
  const found = find('alice')
  await Promise.resolve()
  directory.place('alice', 'one', true)
  await poll(() => placements.isMoving('alice'))
  late.resolve()
  expect(await found).toBe('alice')
  expect(placements.enter('alice', 'one', { end: () => undefined })).toBeUndefined()
})
