import { setTimeout as sleep } from 'node:timers/promises'
import { messageStates } from '@smsgw/contract/messages/message-states'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Dice } from '../../../fuzz/dice.ts'
import { connectDatabase, type Database, type Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { PATIENT_TRANSACTIONS, useTestDatabase } from '../../testing/test-database.ts'
import { readByOffset } from '../read-by-offset.ts'
import { checkMessageCounts } from './check-message-counts.ts'
import { type CountFilter, countMessages, MOST_UNCOUNTED } from './count-messages-statement.ts'
import { advanceCounts } from './update-counts-statement.ts'
import { areCountsBehind, updateMessageCounts } from './update-message-counts.ts'

const SEED = 20_261_123
const HOUR_MS = 3_600_000
const START = Date.parse('2026-02-27T00:00:00Z')
const ACCOUNTS = ['a1', 'a2'] as const
const ACTIONS = [
  'store',
  'store',
  'store',
  'store',
  'advance',
  'advance',
  'advance',
  'move',
  'retime',
  'erase',
  'rewrite',
] as const
const DEVICES = ['d1', 'd2', 'd3'] as const

const world = useTestDatabase({ connections: 10 })
let otherRelay: Database
let made = 0

beforeAll(() => {
  otherRelay = connectDatabase({ url: world.url, connections: 10, transactionLimits: PATIENT_TRANSACTIONS })
})
afterAll(() => otherRelay.$disconnect())
beforeEach(async () => {
  await world.database.account.deleteMany()
  for (const id of ACCOUNTS) await world.database.account.create({ data: { id, username: id, passwordHash: '' } })
})

const at = (hours: number) => new Date(START + hours * HOUR_MS)
const everything: CountFilter = { accountId: 'a1', states: messageStates }

async function store(
  statements: Statements,
  count: number,
  data: { readonly createdAt?: Date; readonly accountId?: string } = {},
) {
  const message = { accountId: 'a1', deviceId: 'd1', createdAt: at(1), ...data }
  await statements.message.createMany({ data: Array.from({ length: count }, () => ({ ...message, id: `m${made++}` })) })
}

/** Counts the rows of messages, without the stored counts. */
function rowsOf(statements: Statements, { accountId, states, deviceId, from, to }: CountFilter): Promise<number> {
  return statements.message.count({
    where: {
      accountId,
      state: { in: [...states] },
      ...(deviceId !== undefined && { deviceId }),
      createdAt: { ...(from && { gte: from }), ...(to && { lt: to }) },
    },
  })
}

const lastCounted = async () => (await world.database.messageCountProgress.findFirst())?.countedKey ?? 0n
const lastKey = async () => (await world.database.message.aggregate({ _max: { key: true } }))._max.key ?? 0n
async function check(): Promise<unknown[]> {
  const logged: unknown[] = []
  await checkMessageCounts({ database: world.database, log: { warn: (...line: unknown[]) => logged.push(line) } })
  return logged
}
const settle = () => updateMessageCounts(world.database, { newest: 0 })

test('the job is needed after messages were stored, changed or deleted, until it has run', async () => {
  const isNeeded = () => areCountsBehind(world.database, 0)
  const changes = [
    () => store(world.database, 3),
    () => world.database.message.updateMany({ data: { state: 'Sent' } }),
    () => world.database.message.deleteMany(),
  ]
  for (const change of changes) {
    await settle()
    expect(await isNeeded()).toBe(false)
    await change()
    expect(await isNeeded()).toBe(true)
  }
})

test('the total is correct at every moment while two relays store, change, move and delete messages and count them', async () => {
  const dice = new Dice(SEED)
  const relays = [world.database, otherRelay] as const
  const anyFilter = (): CountFilter => {
    const edges = [dice.below(120), dice.below(120)].sort((a, b) => a - b)
    return {
      accountId: dice.pick(ACCOUNTS),
      states: dice.once(2) ? messageStates : [dice.pick(messageStates)],
      ...(dice.once(3) && { deviceId: dice.pick(DEVICES) }),
      ...(dice.once(3) && { from: at(edges[0] ?? 0) }),
      ...(dice.once(3) && { to: at(edges[1] ?? 0) }),
    }
  }
  const someKeys = async (statements: Statements) => {
    const keys = await statements.message.findMany({ select: { key: true }, orderBy: { key: 'asc' } })
    return keys.map(({ key }) => key).filter(() => dice.once(7))
  }
  const write = async (statements: Statements) => {
    const where = { key: { in: await someKeys(statements) } }
    switch (dice.pick(ACTIONS)) {
      case 'store':
        return await store(statements, 1 + dice.below(20), {
          accountId: dice.pick(ACCOUNTS),
          createdAt: at(dice.below(120)),
        })
      case 'advance':
        return await statements.message.updateMany({ where, data: { state: dice.pick(messageStates) } })
      case 'move':
        return await statements.message.updateMany({ where, data: { deviceId: dice.pick(DEVICES) } })
      case 'retime':
        return await statements.message.updateMany({ where, data: { createdAt: at(dice.below(120)) } })
      case 'erase':
        return await statements.message.deleteMany({ where })
      case 'rewrite': {
        // Changes and deletes one message in one transaction.
        await statements.message.updateMany({ where, data: { state: 'Failed' } })
        return await statements.message.deleteMany({ where })
      }
    }
  }
  const rollback = new Error('rolled back')
  const perform = async (relay: Database) => {
    const [pauseMs, isKept] = [dice.below(8), !dice.once(7)]
    try {
      await relay.$transaction(async (statements) => {
        await write(statements)
        await sleep(pauseMs)
        if (!isKept) throw rollback
      })
    } catch (error) {
      // If writers of the same rows wait for each other in a circle, PostgreSQL ends one of them.
      if (error !== rollback && !/deadlock|write conflict/.test(String(error))) throw error
    }
  }
  const compare = async (filter: CountFilter) => {
    await otherRelay.$transaction(
      async (statements) => {
        const total = await countMessages(statements, filter)
        expect(total, JSON.stringify(filter)).toEqual({ count: await rowsOf(statements, filter), isExact: true })
      },
      { isolationLevel: Prisma.TransactionIsolationLevel.RepeatableRead },
    )
  }
  for (let round = 0; round < 12; round++) {
    const writers = relays
      .flatMap((relay) => [relay, relay])
      .map(async (relay) => {
        for (let turn = 0; turn < 6; turn++) await perform(relay)
      })
    const counters = relays.map(async (relay) => {
      for (let turn = 0; turn < 6; turn++) {
        await updateMessageCounts(relay, { newest: dice.below(30), portion: 1 + dice.below(60) })
      }
    })
    const checks = check().then((logged) => expect(logged).toEqual([]))
    const readers = Array.from({ length: 15 }, () => compare(anyFilter()))
    await Promise.all([...writers, ...counters, ...readers, checks])
    for (let filter = 0; filter < 8; filter++) await compare(anyFilter())
  }
  expect(await lastCounted()).toBeGreaterThan(100n)
  while ((await lastCounted()) < (await lastKey())) await settle()
  await settle()
  expect(await world.database.messageCountChange.count()).toBe(0)
  const days = await world.database.$queryRaw<{ total: bigint; days: bigint }[]>`
    SELECT sum(count) FILTER (WHERE day = '-infinity')::bigint AS total,
      sum(count) FILTER (WHERE day > '-infinity')::bigint AS days FROM message_counts`
  const rows = BigInt(await world.database.message.count())
  expect(days).toEqual([{ total: rows, days: rows }])
  expect(await check()).toEqual([])
})

/** Returns the number of messages, which must be exact. */
async function total(filter: CountFilter): Promise<number> {
  const { count, isExact } = await countMessages(world.database, filter)
  expect(isExact).toBe(true)
  return count
}

test('a change is neither lost nor counted twice when its transaction is open while messages are counted', async () => {
  await store(world.database, 3)
  const hold = Promise.withResolvers<void>()
  const isChanged = Promise.withResolvers<void>()
  const slow = world.database.$transaction(async (statements) => {
    await statements.message.updateMany({ data: { state: 'Sent' } })
    isChanged.resolve()
    await hold.promise
  })
  await isChanged.promise
  const counted = updateMessageCounts(otherRelay, { newest: 0 })
  expect(await Promise.race([counted.then(() => 'ended'), sleep(200, 'waits')])).toBe('waits')
  hold.resolve()
  await Promise.all([slow, counted])
  expect(await total({ accountId: 'a1', states: ['Sent'] })).toBe(3)
  expect(await total({ accountId: 'a1', states: ['Pending'] })).toBe(0)
})

test('the newest messages are counted row by row, and a change of them is not recorded', async () => {
  await settle()
  await store(world.database, 10)
  await updateMessageCounts(world.database, { newest: 4 })
  const newest = (await world.database.message.findMany({ orderBy: { key: 'desc' }, take: 4 })).map(({ key }) => key)
  await world.database.message.updateMany({ where: { key: { in: newest } }, data: { state: 'Sent' } })
  expect(await world.database.messageCountChange.count()).toBe(0)
  await world.database.message.updateMany({ where: { state: 'Pending' }, data: { state: 'Delivered' } })
  expect(await world.database.messageCountChange.count()).toBe(12)
  const totals = (['Pending', 'Sent', 'Delivered'] as const).map((state) => total({ accountId: 'a1', states: [state] }))
  expect(await Promise.all(totals)).toEqual([0, 4, 6])
})

test('a filled database is counted in portions over several runs, and the total is correct meanwhile', async () => {
  await settle()
  const before = await lastCounted()
  await store(world.database, 100)
  for (let run = 1; run <= 4; run++) {
    await updateMessageCounts(world.database, { newest: 0, portion: 25 })
    expect(await lastCounted()).toBe(before + BigInt(run * 25))
    expect(await total(everything)).toBe(100)
  }
})

test('a run without new messages and changes writes nothing', async () => {
  await store(world.database, 5)
  await settle()
  // Returns the last transaction that locked or changed the row.
  const locker = () => world.database.$queryRaw`SELECT xmin::text, xmax::text FROM message_count_progress`
  const before = await locker()
  await updateMessageCounts(world.database)
  await settle()
  expect(await locker()).toEqual(before)
})

test('many deleted messages are recorded as one change', async () => {
  await store(world.database, 500)
  await settle()
  await world.database.message.deleteMany({ where: { accountId: 'a1' } })
  expect(await world.database.messageCountChange.count()).toBe(1)
  expect(await total(everything)).toBe(0)
  await settle()
  expect(await world.database.messageCountChange.count()).toBe(0)
})

test('counts again from the beginning when the keys of messages started again', async () => {
  await store(world.database, 5)
  await settle()
  await world.database.messageCountProgress.updateMany({ data: { countedKey: 1n << 40n } })
  await world.database.messageCount.updateMany({ data: { count: 77n } })
  // Adds a correction of counts that are deleted.
  await world.database.messageCountChange.create({
    data: { accountId: 'a1', messageKey: 0n, deviceId: 'd1', day: at(1), state: 'Pending', change: 4n },
  })
  while ((await lastCounted()) !== (await lastKey())) await settle()
  expect(await total(everything)).toBe(5)
})

test('the check corrects wrong counts, missing counts and counts of removed messages, and logs how many', async () => {
  await store(world.database, 5, { createdAt: at(1) })
  await store(world.database, 4, { createdAt: at(9_000) })
  await settle()
  expect(await total(everything)).toBe(9)
  // Makes a count wrong, as if rows had been changed while triggers were disabled.
  await world.database.$executeRaw`UPDATE message_counts SET count = count + 3 WHERE day = ${at(1)}::date`
  await world.database.$executeRaw`DELETE FROM message_counts WHERE day = ${at(9_000)}::date`
  await world.database.messageCount.create({
    data: { accountId: 'a1', deviceId: 'gone', day: at(50), state: 'Sent', count: 8 },
  })
  expect(await check()).toEqual([[{ counts: expect.any(Number) }, 'corrected wrong message counts']])
  await settle()
  expect(await total(everything)).toBe(9)
  expect(await total({ ...everything, from: at(0), to: at(48) })).toBe(5)
  expect(await total({ ...everything, from: at(8_000) })).toBe(4)
  expect(await total({ ...everything, deviceId: 'gone' })).toBe(0)
  expect(await check()).toEqual([])
  expect(await world.database.messageCount.count({ where: { deviceId: 'gone' } })).toBe(0)
})

test('in a period within a day, messages are counted up to a limit, and a larger number is marked', async () => {
  await store(world.database, 6, { createdAt: at(30) })
  await store(world.database, 4, { createdAt: at(50) })
  await settle()
  const { database } = world
  const ofDay = { ...everything, from: at(25), to: at(47) }
  expect(await countMessages(database, ofDay, 5)).toEqual({ count: 5, isExact: false })
  expect(await countMessages(database, ofDay, 6)).toEqual({ count: 6, isExact: true })
  // All of the first day, and a part of the second day.
  const longer = { ...everything, from: at(24), to: at(51) }
  expect(await countMessages(database, longer, 3)).toEqual({ count: 9, isExact: false })
  expect(await countMessages(database, longer, 4)).toEqual({ count: 10, isExact: true })
})

test('the number of all messages is exact while too many of them are not counted yet', async () => {
  await store(world.database, 6, { createdAt: at(30) })
  await world.database
    .$queryRaw`SELECT setval('messages_key_seq', ${await lastKey()}::bigint + ${MOST_UNCOUNTED}::int + 1)`
  expect(await countMessages(world.database, everything, 5)).toEqual({ count: 6, isExact: true })
  expect(await countMessages(world.database, { ...everything, deviceId: 'd1' }, 5)).toEqual({ count: 6, isExact: true })
  expect(await countMessages(world.database, { ...everything, from: at(25) }, 5)).toEqual({ count: 5, isExact: false })
})

test.each(['ASC', 'DESC'] as const)(
  'a page at any offset begins with the same message with and without the counts, %s',
  async (direction) => {
    await settle()
    const dice = new Dice(SEED)
    for (let day = 0; day < 12; day++) {
      const createdAt = at(24 * dice.below(9) + dice.below(24))
      await store(world.database, 1 + dice.below(9), { createdAt })
      if (day === 7) await settle()
    }
    await world.database.message.deleteMany({ where: { key: { in: [(await lastKey()) - 30n, await lastKey()] } } })
    const filters = [
      {},
      { deviceId: 'd1' },
      { state: 'Pending' },
      { from: at(30) },
      { to: at(100) },
      { from: at(24), to: at(96) },
      { from: at(31), to: at(131) },
      { from: at(31), to: at(40) },
      { state: 'Pending', to: at(100) },
      { hasFailed: true },
    ] as const
    for (const filter of filters) {
      const read = (leastOffset: number, skip: number) =>
        readByOffset(
          world.database,
          { accountId: 'a1', ...filter },
          direction,
          { after: undefined, skip, take: 5 },
          leastOffset,
        )
      for (let skip = 0; skip < 70; skip += 1 + dice.below(6)) {
        const ids = (await read(0, skip)).map(({ id }) => id)
        expect(ids, `${JSON.stringify(filter)} ${skip}`).toEqual((await read(1_000, skip)).map(({ id }) => id))
      }
    }
  },
)

test('reads each recorded change only a few times, even if the table was empty when it was analysed', async () => {
  const { database } = world
  const changes = 500
  const record = () => database.$executeRaw`
    INSERT INTO message_count_changes (account_id, message_key, day, device_id, state, change)
    SELECT 'a1', 1, '2026-03-01', 'd1', 'Sent', 1 FROM generate_series(1, ${changes})`
  await record()
  await database.messageCountChange.deleteMany()
  await database.$executeRaw`ANALYZE message_count_changes`
  await record()
  const rowsRead = await database.$transaction(async (statements) => {
    await advanceCounts(statements, 1n, 1n, changes)
    const [read] = await statements.$queryRaw<{ rows: bigint }[]>`
      SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables
      WHERE relname = 'message_count_changes'`
    return Number(read?.rows)
  })
  expect(rowsRead).toBeGreaterThanOrEqual(changes)
  expect(rowsRead).toBeLessThan(10 * changes)
  expect(await database.messageCountChange.count()).toBe(0)
})
