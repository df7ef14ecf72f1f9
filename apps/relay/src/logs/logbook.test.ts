import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectDatabase, type Database } from '../store/database.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { BufferedLogbook, type LogbookOptions } from './logbook.ts'

const shared = useTestDatabase()
beforeEach(async () => {
  for (const id of ['a1', 'a2']) await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
})
afterEach(() => shared.database.account.deleteMany())

const now = new Date('2026-03-01T09:00:00.000Z')
const log = openLog('fatal', { write: () => undefined })
function open(options: Partial<LogbookOptions> = {}): BufferedLogbook {
  return new BufferedLogbook({ database: shared.database, clock: { now: () => now }, log, lingerMs: 1, ...options })
}
const entry = (message: string, accountId = 'a1') => ({ accountId, module: 'test', priority: 'INFO', message }) as const
const stored = () => shared.database.logEntry.findMany({ orderBy: { id: 'asc' } })
const messages = async () => (await stored()).map(({ accountId, message }) => `${accountId} ${message}`)

test('entries are stored automatically, complete and in order', async () => {
  const logbook = open()
  logbook.write({ ...entry('first'), deviceId: 'd1', context: { code: '38' } })
  logbook.write(entry('second', 'a2'))
  logbook.write(entry('third'))
  await expect.poll(stored).toHaveLength(3)
  expect(await stored()).toMatchObject([
    { accountId: 'a1', deviceId: 'd1', createdAt: now, module: 'test', priority: 'INFO', context: { code: '38' } },
    { accountId: 'a2', deviceId: null, context: null, message: 'second' },
    { message: 'third' },
  ])
})

test('draining stores all buffered entries', async () => {
  const logbook = open({ lingerMs: 60_000 })
  for (let count = 0; count < 1203; count += 1) logbook.write(entry(`${count}`))
  await logbook.drain()
  expect(await messages()).toEqual(Array.from({ length: 1203 }, (_, count) => `a1 ${count}`))
})

test('phone numbers are shortened, and characters that PostgreSQL cannot store are replaced', async () => {
  const logbook = open()
  logbook.write({ ...entry('sent to +14155550142 \u0000'), context: { number: '+14155550142', half: '\ud800' } })
  await logbook.drain()
  expect(await stored()).toMatchObject([
    { message: 'sent to +…142 \ufffd', context: { number: '+…142', half: '\ufffd' } },
  ])
})

test('entries of a removed account do not prevent other entries from being stored', async () => {
  const logbook = open()
  logbook.write(entry('lost', 'removed'))
  logbook.write(entry('kept'))
  await logbook.drain()
  expect(await messages()).toEqual(['a1 kept'])
})

test('entries wait while the database is unavailable, and an entry reports how many of the oldest were dropped', async () => {
  const { database, comeBack } = databaseThatIsAway()
  const logbook = open({ database, capacity: 3, lingerMs: 60_000 })
  for (const message of ['1', '2']) logbook.write(entry(message))
  await logbook.drain()
  for (const message of ['3', '4', '5']) logbook.write(entry(message))
  logbook.write(entry('6', 'a2'))
  await logbook.drain()
  await comeBack()
  await logbook.drain()
  expect(await messages()).toEqual([expect.stringMatching(/^a1 3 older entries dropped/), 'a1 4', 'a1 5', 'a2 6'])
  await logbook.drain()
  expect(await messages()).toHaveLength(4)
})

test('entries are stored when the database is available again', async () => {
  const { database, tries, comeBack } = databaseThatIsAway()
  const logbook = open({ database, retryMs: 1 })
  logbook.write(entry('kept'))
  await expect.poll(tries).toBeGreaterThan(2)
  await comeBack()
  await expect.poll(messages).toEqual(['a1 kept'])
})

/** Returns a database that does not answer. */
function databaseThatIsAway() {
  const away = connectDatabase({ url: 'postgresql://nobody@127.0.0.1:1/nothing', connections: 1 })
  let current = away
  let tries = 0
  const get = (_: Database, name: string) => {
    tries += 1
    return Reflect.get(current, name)
  }
  return {
    database: new Proxy(away, { get }),
    tries: () => tries,
    async comeBack() {
      current = shared.database
      await away.$disconnect()
    },
  }
}
