// Shows that messages to one number are found in all buckets of their index.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { updateConversationOrder } from '../../conversation-order/update-order.ts'
import { readSentEntries } from '../../conversations/read-entries-statement.ts'
import { readLatestEntries } from '../../conversations/read-latest-entries-statement.ts'
import { readRecords } from '../../facades/twilio/read-records-statement.ts'
import { deleteUnusedStates } from '../../shared-inbox/delete-unused-states-statement.ts'
import { connectDatabase, type Database, type Statements } from '../../store/database.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { acceptWithinLimits } from '../accept/accept-within-limits.ts'
import { testMessage } from '../testing/new-message.ts'
import { findLastKey } from './find-last-key-statement.ts'

const world = useTestDatabase()
const visibility = { accountId: 'account', sent: true, received: true }
const BUCKET = 2_097_152n
const SPAN = { after: undefined, before: { at: new Date('9999-12-31'), number: '' } }
/** A portion of the job that contains all keys of a test. */
const EVERY_KEY = 100_000_000
const MOST_KEY = 9_223_372_036_854_775_807n
const minute = (count: number) => new Date(Date.UTC(2026, 2, 1, 8, count))
let stored: { key: bigint; number: string; id: string }[]

// With statistics about the few rows of a test, PostgreSQL would not use the index of a large table.
beforeAll(async () => {
  for (const table of ['messages', 'recipients', 'inbox', 'conversation_order'])
    await world.database.$executeRawUnsafe(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`)
})

beforeEach(async () => {
  await world.database.account.deleteMany()
  await world.database.account.create({ data: { id: 'account', username: 'account', passwordHash: '' } })
  await world.database.device.create({ data: { id: 'device', accountId: 'account', name: 'device' } })
  await world.database.$executeRaw`ALTER SEQUENCE messages_key_seq RESTART`
  stored = []
})

async function send(number: string, more: object = {}): Promise<void> {
  const at = minute(stored.length)
  const id = `m${stored.length}`
  const ids = { accountId: 'account', deviceId: 'device' }
  const recipient = { ...ids, cmdId: id, position: 0, phoneNumber: number, dueAt: at }
  const { key } = await world.database.message.create({
    data: { ...ids, id, createdAt: at, ...more, recipients: { create: [recipient] } },
  })
  stored.push({ key, number, id })
}

/** Stores messages to `+1` on both sides of the borders of four buckets, and one old message to `+2`. */
async function sendAcrossBuckets(): Promise<void> {
  await send('+1')
  await send('+2')
  for (const border of [BUCKET, 2n * BUCKET, 9n * BUCKET]) {
    await world.database.$queryRaw`SELECT setval('messages_key_seq', ${border - 3n})`
    for (let message = 0; message < 4; message += 1) await send('+1')
  }
  await send('+3')
}

const keysOf = (number: string) => stored.filter((one) => one.number === number).map(({ key }) => key)

async function pagesOf(side: 'older' | 'newer', number: string, take: number): Promise<bigint[]> {
  const keys: bigint[] = []
  for (let place = side === 'older' ? MOST_KEY : 0n; ; ) {
    const page = await readSentEntries(world.database, visibility, number, place, { side, take })
    keys.push(...page.map(({ key }) => key))
    const last = page.at(-1)
    if (last === undefined) return keys
    place = side === 'older' ? last.key : last.key + 1n
  }
}

test.each([1, 2, 3, 5, 100])('pages of %i messages continue in the next bucket, in both directions', async (take) => {
  await sendAcrossBuckets()
  for (const number of ['+1', '+2', '+3', '+4']) {
    expect(await pagesOf('older', number, take)).toEqual(keysOf(number).toReversed())
    expect(await pagesOf('newer', number, take)).toEqual(keysOf(number))
  }
})

test('a page may start at any key', async () => {
  await sendAcrossBuckets()
  for (const start of [0n, 1n, BUCKET - 1n, BUCKET, BUCKET + 1n, 5n * BUCKET, 9n * BUCKET, 99n * BUCKET, MOST_KEY]) {
    const read = (side: 'older' | 'newer') =>
      readSentEntries(world.database, visibility, '+1', start, { side, take: 99 })
    expect((await read('older')).map(({ key }) => key)).toEqual(
      keysOf('+1')
        .filter((key) => key < start)
        .toReversed(),
    )
    expect((await read('newer')).map(({ key }) => key)).toEqual(keysOf('+1').filter((key) => key >= start))
  }
})

test('the last message is found in the newest and in the oldest bucket', async () => {
  await sendAcrossBuckets()
  for (const number of ['+1', '+2', '+3', '+4'])
    expect(await findLastKey(world.database, 'account', number)).toBe(keysOf(number).at(-1))
  expect(await findLastKey(world.database, 'another', '+1')).toBeUndefined()
  // Message m9 is in the bucket before the last one.
  const before = stored.find(({ id }) => id === 'm9')?.key
  expect(await findLastKey(world.database, 'account', '+1', { createdBefore: minute(10) })).toBe(before)
  await world.database.message.updateMany({ where: { id: { not: 'm0' } }, data: { sentBy: 'webhook' } })
  expect(await findLastKey(world.database, 'account', '+1', { isNoReply: true })).toBe(stored[0]?.key)
  expect(await findLastKey(world.database, 'account', '+2', { isNoReply: true })).toBeUndefined()
})

test('conversations have their last message, whichever bucket contains it', async () => {
  await sendAcrossBuckets()
  const lastOf = async () => {
    const found = await readLatestEntries(world.database, visibility, ['+1', '+2', '+3', '+4'], SPAN, 9)
    return found.map(({ number, id }) => `${number} ${id}`)
  }
  const places = async () => {
    await updateConversationOrder(world.database, EVERY_KEY)
    const order = await world.database.conversationOrder.findMany({ orderBy: { lastAt: 'desc' } })
    return order.map(({ number, lastAt }) => `${number} m${(lastAt.getTime() - minute(0).getTime()) / 60_000}`)
  }
  expect(await lastOf()).toEqual(['+3 m14', '+1 m13', '+2 m1'])
  expect(await places()).toEqual(['+3 m14', '+1 m13', '+2 m1'])
  await world.database.message.deleteMany({ where: { key: { gte: BUCKET } } })
  expect(await lastOf()).toEqual(['+1 m3', '+2 m1'])
  expect(await places()).toEqual(['+1 m3', '+2 m1'])
})

test('labels are kept as long as one bucket contains a message to the number', async () => {
  await sendAcrossBuckets()
  const state = { accountId: 'account', archivedAt: minute(0) }
  await world.database.conversationState.createMany({
    data: ['+1', '+2', '+4'].map((number) => ({ ...state, number })),
  })
  expect(await deleteUnusedStates(world.database)).toBe(1)
  expect(await world.database.conversationState.count()).toBe(2)
})

test('labels of a number that has sent a message are kept without a search for messages to it', async () => {
  await sendAcrossBuckets()
  const item = { accountId: 'account', deviceId: 'device', id: 'i1', type: 'SMS', sender: '+4', createdAt: minute(1) }
  await world.database.inboxItem.create({ data: item })
  await world.database.conversationState.create({ data: { accountId: 'account', number: '+4', archivedAt: minute(0) } })
  expect(await searchesOf((statements) => deleteUnusedStates(statements as Database))).toBe(0)
  expect(await world.database.conversationState.count()).toBe(1)
})

test('the records of a number come from all buckets, newest first', async () => {
  await sendAcrossBuckets()
  const filter = { accountId: 'account', hasSent: true, hasReceived: true, to: ['+1', '+2'] }
  const read = async (take: number) =>
    (await readRecords(world.database, filter, { after: undefined, take })).map(({ messageId }) => messageId)
  const all = stored.filter(({ number }) => number !== '+3').map(({ id }) => id)
  expect(await read(99)).toEqual(all.toReversed())
  expect(await read(6)).toEqual(all.toReversed().slice(0, 6))
})

test('replies are counted across the border of two buckets', async () => {
  const accept = acceptWithinLimits(world.database)
  // The clock is set back in between, so the first reply of the hour is not in the first bucket.
  const reply = (index: number) => {
    const id = `r${index}`
    return testMessage(id, {
      idempotency: { key: id, fingerprint: new Uint8Array(32) },
      createdAt: minute(10 - index),
      sentBy: { kind: 'webhook', repliesPerHour: 10 },
      recipients: [{ cmdId: id, phoneNumber: '+1' }],
    })
  }
  await world.database.$queryRaw`SELECT setval('messages_key_seq', ${BUCKET - 6n})`
  for (let index = 0; index < 10; index += 1) expect(await accept(reply(index))).toEqual({ kind: 'accepted' })
  expect(await accept(reply(10))).toEqual({ kind: 'over-reply-limit' })
})

/** Returns how often a statement with a generic plan searches the index. */
async function searchesOf(work: (statements: Statements) => Promise<unknown>): Promise<number> {
  return await world.database.$transaction(async (statements) => {
    await statements.$executeRaw`SET LOCAL plan_cache_mode = force_generic_plan`
    const count = async () => {
      const [row] = await statements.$queryRaw<{ count: number }[]>`
        SELECT pg_stat_get_xact_numscans('recipients_of_number'::regclass)::int AS count`
      return row?.count ?? 0
    }
    const before = await count()
    await work(statements)
    return (await count()) - before
  })
}

test('a number with recent messages is not searched in all buckets', async () => {
  await sendAcrossBuckets()
  await world.database.$queryRaw`SELECT setval('messages_key_seq', ${10n * BUCKET})`
  for (let message = 0; message < 60; message += 1) await send('+1')
  // PostgreSQL reads until the next bucket with a message, and then ends the page.
  const page = { side: 'older', take: 51 } as const
  expect(await searchesOf((s) => readSentEntries(s, visibility, '+1', MOST_KEY, page))).toBeLessThanOrEqual(2)
  // An older page begins in the bucket of its first message.
  expect(await searchesOf((s) => readSentEntries(s, visibility, '+1', BUCKET, page))).toBe(2)
  expect(await searchesOf((s) => findLastKey(s, 'account', '+1'))).toBe(1)
  expect(await searchesOf((s) => findLastKey(s, 'account', '+4'))).toBe(11)
})

test('a conversation whose last message was received is searched only in the buckets that are not in the order yet', async () => {
  const last = (statements: Statements) => readLatestEntries(statements, visibility, ['+2'], SPAN, 1)
  const receive = async (id: string, count: number) => {
    const item = { accountId: 'account', deviceId: 'device', id, type: 'SMS', sender: '+2', createdAt: minute(count) }
    await world.database.inboxItem.create({ data: item })
  }
  await sendAcrossBuckets()
  await receive('i1', 30)
  expect(await searchesOf(last)).toBeGreaterThan(8)
  await updateConversationOrder(world.database, EVERY_KEY)
  expect(await searchesOf(last)).toBe(1)
  await receive('i2', 31)
  expect(await searchesOf(last)).toBe(1)
  expect(await last(world.database)).toMatchObject([{ id: 'i2' }])
  await send('+2', { createdAt: minute(32) })
  expect(await last(world.database)).toMatchObject([{ id: 'm15' }])
  await updateConversationOrder(world.database, EVERY_KEY)
  expect(await last(world.database)).toMatchObject([{ id: 'm15' }])
  // Until the next run of the job, the order still contains the deleted messages.
  await world.database.message.deleteMany({ where: { id: 'm15' } })
  expect(await last(world.database)).toMatchObject([{ id: 'i2' }])
  await world.database.inboxItem.deleteMany()
  expect(await last(world.database)).toMatchObject([{ id: 'm1' }])
  await updateConversationOrder(world.database, EVERY_KEY)
  expect(await last(world.database)).toMatchObject([{ id: 'm1' }])
})

describe.each(['force_custom_plan', 'force_generic_plan'])('with %s', (mode) => {
  /** Counts the rows and index entries of recipients that PostgreSQL reads. */
  async function recipientsRead(work: (statements: Statements) => Promise<unknown>): Promise<number> {
    return await world.database.$transaction(async (statements) => {
      await statements.$queryRaw`SELECT set_config('plan_cache_mode', ${mode}, true)`
      const count = async () => {
        const [row] = await statements.$queryRaw<{ count: number }[]>`
          SELECT sum(pg_stat_get_xact_tuples_returned(relation))::int AS count FROM (
            SELECT indexrelid AS relation FROM pg_index WHERE indrelid = 'recipients'::regclass
            UNION ALL SELECT 'recipients'::regclass) AS one`
        return row?.count ?? 0
      }
      const before = await count()
      await work(statements)
      return (await count()) - before
    })
  }

  test('a search for a number does not read the messages to the only other number', async () => {
    await world.database.$executeRaw`
      WITH stored AS (
        INSERT INTO messages (account_id, device_id, id, created_at)
        SELECT 'account', 'device', 'm' || n, ${minute(0)} FROM generate_series(1, 5000) n RETURNING key, id)
      INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, due_at)
      SELECT id, key, 'account', 'device', 0, '+1', ${minute(0)} FROM stored`
    await world.database.$executeRaw`VACUUM (ANALYZE) messages, recipients`
    const numbers = ['+1', '+4']
    const page = { side: 'older', take: 51 } as const
    const read = {
      last: await recipientsRead((s) => findLastKey(s, 'account', '+4')),
      page: await recipientsRead((s) => readSentEntries(s, visibility, '+4', MOST_KEY, page)),
      latest: await recipientsRead((s) => readLatestEntries(s, visibility, numbers, SPAN, 9)),
    }
    // The planner also reads the ends of indexes, with entries of deleted rows.
    expect(Math.max(...Object.values(read)), JSON.stringify(read)).toBeLessThan(500)
  })
})

test('pages and searches are planned only for their first uses', async () => {
  await sendAcrossBuckets()
  const other = connectDatabase({ url: world.url, connections: 1 })
  const numbers = Array.from({ length: 51 }, (_, index) => `+${index}`)
  for (let time = 0; time < 8; time += 1) {
    await readSentEntries(other, visibility, '+1', MOST_KEY, { side: 'older', take: 51 })
    await readLatestEntries(other, visibility, numbers, SPAN, 9)
    await findLastKey(other, 'account', '+1')
  }
  const plans = await other.$queryRaw<{ custom: number; generic: number }[]>`
    SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements
    WHERE statement LIKE ${'%AS bucket%'}`
  await other.$disconnect()
  expect(plans).toEqual(Array(3).fill({ custom: 5, generic: 3 }))
})
