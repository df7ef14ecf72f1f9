import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useTestDatabase } from '../testing/test-database.ts'
import { Replica } from './replica.ts'
import { writeBeat } from './write-beat-statement.ts'

const store = useTestDatabase()
let primaryMs = 0
/** A replica without any delay: the primary itself. */
let replica: Replica

beforeEach(async () => {
  await store.database.installation.deleteMany()
  await store.database.installation.create({ data: { streamId: 'stream', secretCheck: '' } })
  primaryMs = await writeBeat(store.database)
  replica = new Replica({
    url: store.url,
    connections: 1,
    streamId: 'stream',
    primaryMs: () => primaryMs,
    onLost: () => undefined,
    onBack: () => undefined,
  })
  await expect.poll(() => replica.ageMs(), { timeout: 60_000 }).toBeDefined()
})

afterEach(() => replica.close())

test('the age is the time of the primary minus the time that the replica shows', () => {
  primaryMs += 1_000
  expect(replica.ageMs()).toBeGreaterThanOrEqual(1_000)
  expect(replica.ageMs()).toBeLessThan(60_000)
})

test('the age is unknown while the replica shows a time that the clock of the primary has not reached', () => {
  primaryMs -= 60_000
  expect(replica.ageMs()).toBeUndefined()
})

test('keeps no results of finished reads in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const results: WeakRef<object>[] = []
  for (let read = 0; read < 50; read += 1)
    await replica.during(async () => {
      const result = { read }
      results.push(new WeakRef(result))
      return result
    })
  await expect
    .poll(() => {
      collectGarbage()
      return results.filter((result) => result.deref() !== undefined).length
    })
    .toBeLessThan(5)
})

test('a failed read fails with its own error', async () => {
  await expect(replica.during(() => Promise.reject(new Error('wrong column')))).rejects.toThrow('wrong column')
})

test('a read in progress fails when the replica is lost', async () => {
  const reading = replica.during(() => new Promise(() => undefined))
  reading.catch(() => undefined)
  await store.database.$executeRaw`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'smsgw replica check' AND datname = current_database()`
  await expect(reading).rejects.not.toThrow('no answer')
})

test('a server with another database is not used', async () => {
  const lost: unknown[] = []
  const other = new Replica({
    url: store.url,
    connections: 1,
    streamId: 'another stream',
    primaryMs: () => primaryMs,
    onLost: (_, error) => lost.push(error),
    onBack: () => undefined,
  })
  await expect.poll(() => String(lost[0])).toContain('names another database')
  expect(other.ageMs()).toBeUndefined()
  await other.close()
})
