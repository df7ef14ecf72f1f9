import { beforeEach, expect, test } from 'vitest'
import { useTestDatabase } from '../testing/test-database.ts'
import { KeptTraffic } from './kept-traffic.ts'

const shared = useTestDatabase()
const HOUR_MS = 3_600_000
const from = new Date('2026-03-01T00:00:00Z')
let nowMs: number
let kept: KeptTraffic

beforeEach(async () => {
  await shared.database.account.deleteMany()
  for (const id of ['a1', 'a2']) await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
  nowMs = from.getTime() + 10.5 * HOUR_MS
  kept = new KeptTraffic({ now: () => new Date(nowMs) })
})

let made = 0
/** Stores messages in the bucket that begins in this hour. */
async function store(hour: number, messages: number, accountId = 'a1'): Promise<void> {
  const createdAt = new Date(from.getTime() + hour * HOUR_MS)
  const rows = Array.from({ length: messages }, () => ({ accountId, deviceId: 'd', id: `m${made++}`, createdAt }))
  await shared.database.message.createMany({ data: rows })
}

/** Returns the accepted messages of eleven hours, of which the last one has not ended. */
const read = async (accountId = 'a1', traffic = kept) =>
  (await traffic.read(shared.database, { accountId, from, stepSeconds: 3_600, buckets: 11 })).map(
    ({ accepted }) => accepted,
  )

test('a full time bucket is counted again when a tenth of its age has passed', async () => {
  for (const hour of [0, 8]) await store(hour, 500)
  expect(await read()).toEqual([500, 0, 0, 0, 0, 0, 0, 0, 500, 0, 0])
  for (const hour of [0, 8]) await store(hour, 1)
  // The first bucket ended 9.5 hours ago, and the other one 1.5 hours ago.
  nowMs += 0.14 * HOUR_MS
  expect(await read()).toEqual([500, 0, 0, 0, 0, 0, 0, 0, 500, 0, 0])
  nowMs += 0.02 * HOUR_MS
  expect(await read()).toEqual([500, 0, 0, 0, 0, 0, 0, 0, 501, 0, 0])
  nowMs += 0.78 * HOUR_MS
  expect(await read()).toEqual([500, 0, 0, 0, 0, 0, 0, 0, 501, 0, 0])
  nowMs += 0.02 * HOUR_MS
  expect(await read()).toEqual([501, 0, 0, 0, 0, 0, 0, 0, 501, 0, 0])
})

test('the present time bucket, and one with few messages, are counted for each request', async () => {
  await store(2, 499)
  await store(10, 500)
  expect(await read()).toEqual([0, 0, 499, 0, 0, 0, 0, 0, 0, 0, 500])
  for (const hour of [2, 3, 10]) await store(hour, 1)
  expect(await read()).toEqual([0, 0, 500, 1, 0, 0, 0, 0, 0, 0, 501])
})

test('a time bucket is counted again after the clock was set back', async () => {
  await store(10, 500)
  nowMs += 1.5 * HOUR_MS
  expect((await read())[10]).toBe(500)
  nowMs -= 1.5 * HOUR_MS
  await store(10, 1)
  expect((await read())[10]).toBe(501)
})

test('the charts of accounts and periods are separate', async () => {
  await store(0, 500)
  await store(0, 600, 'a2')
  expect((await read())[0]).toBe(500)
  expect((await read('a2'))[0]).toBe(600)
  const halves = await kept.read(shared.database, { accountId: 'a1', from, stepSeconds: 1_800, buckets: 2 })
  expect(halves.map(({ at, accepted }) => [at, accepted])).toEqual([
    [from, 500],
    [new Date(from.getTime() + HOUR_MS / 2), 0],
  ])
})

test('requests at the same time count each full time bucket once, and a failed one does not fail the next one', async () => {
  await store(0, 500)
  const failing = new Proxy(shared.database, {
    get(target, name) {
      if (name !== '$queryRaw') return Reflect.get(target, name)
      return () => Promise.reject(new Error('disk on fire'))
    },
  })
  const window = { accountId: 'a1', from, stepSeconds: 3_600, buckets: 1 }
  const failed = kept.read(failing, window)
  const [first, second] = [kept.read(shared.database, window), kept.read(failing, window)]
  await expect(failed).rejects.toThrow('disk on fire')
  expect(await first).toMatchObject([{ accepted: 500 }])
  // Reads nothing from the database, because the bucket has just been counted.
  expect(await second).toMatchObject([{ accepted: 500 }])
})
