import { beforeEach, expect, test } from 'vitest'
import { Dice } from '../../fuzz/dice.ts'
import { deleteAccountRows } from '../accounts/delete-account-rows-statement.ts'
import { findConversations } from '../conversations/find-conversations.ts'
import type { ConversationFilter } from '../shared-inbox/conversation-filter.ts'
import type { Statements } from '../store/database.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { updateConversationOrder } from './update-order.ts'
import { isOrderBehind } from './update-order-statement.ts'

const world = useTestDatabase()
beforeEach(async () => {
  made = 0
  await world.database.account.deleteMany()
  await world.database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '' } })
})

const everything = { accountId: 'a1', sent: true, received: true }
const minute = (count: number) => new Date(Date.UTC(2026, 2, 1, 8, count))
const common = { accountId: 'a1', deviceId: 'Xk2Zt7vQ9sLrB4mNdP1aW' }
let made = 0
/** A portion of the job that contains all keys of a test. */
const EVERY_KEY = 100_000_000

async function send(phoneNumber: string, at: number): Promise<string> {
  const id = `m${made++}`
  const recipient = { ...common, cmdId: id, position: 0, phoneNumber, dueAt: minute(at) }
  const message = { ...common, id, createdAt: minute(at), text: 'out', recipients: { create: [recipient] } }
  await world.database.message.create({ data: message })
  return id
}

async function receive(sender: string, at: number): Promise<string> {
  const id = `i${made++}`
  await world.database.inboxItem.create({ data: { ...common, id, type: 'SMS', sender, createdAt: minute(at) } })
  return id
}

async function pages(filter: ConversationFilter, take = 7): Promise<string[]> {
  const found: { number: string; at: Date }[] = []
  for (let page: typeof found | undefined; page === undefined || page.length === take; ) {
    page = await findConversations(world.database, everything, { before: found.at(-1), among: undefined, filter, take })
    found.push(...page)
  }
  return found.map(({ number, at }) => `${number} ${at.toISOString()}`)
}

const places = () => world.database.conversationOrder.findMany({ orderBy: [{ lastAt: 'desc' }, { number: 'desc' }] })

test('a run without new messages writes nothing', async () => {
  await send('+1', 1)
  await updateConversationOrder(world.database)
  // Returns the last transaction that locked or changed the row.
  const locker = () => world.database.$queryRaw`SELECT xmin::text, xmax::text FROM conversation_order_progress`
  const before = await locker()
  await updateConversationOrder(world.database)
  expect(await locker()).toEqual(before)
})

test('the job is needed after each new message and each change of a folder, until it has run', async () => {
  const changes = [
    () => send('+1', 1),
    () => receive('+2', 2),
    () =>
      world.database.conversationState.create({
        data: { accountId: 'a1', number: '+2', archivedAt: minute(3) },
      }),
    () => world.database.inboxItem.deleteMany(),
  ]
  for (const change of changes) {
    await updateConversationOrder(world.database)
    expect(await isOrderBehind(world.database)).toBe(false)
    await change()
    expect(await isOrderBehind(world.database)).toBe(true)
  }
})

test('pages are correct before, between and after runs of the job', async () => {
  const dice = new Dice(20_261_123)
  const messages: { id: string; number: string; at: number; isOut: boolean }[] = []
  const archived = new Set<string>()
  for (let round = 0; round < 25; round++) {
    // Later messages are in another bucket of the index by number.
    if (dice.once(3))
      await world.database.$queryRaw`SELECT setval('messages_key_seq', nextval('messages_key_seq') + 2097152)`
    for (let count = 0; count < 8; count++) {
      const number = dice.once(3) ? 'Größe' : `+${dice.below(30)}`
      const at = dice.below(60)
      const isOut = dice.once(2)
      // The last sent message must be the message with the greatest key, so sent times increase.
      const time = isOut ? 60 + messages.length : at
      messages.push({ id: await (isOut ? send(number, time) : receive(number, time)), number, at: time, isOut })
      if (!isOut) archived.delete(number)
    }
    if (dice.once(2)) await updateConversationOrder(world.database, EVERY_KEY)
    const [gone] = messages.splice(dice.below(messages.length), 1)
    if (gone?.isOut) await world.database.message.deleteMany({ where: { id: gone.id } })
    if (gone?.isOut === false) await world.database.inboxItem.deleteMany({ where: { id: gone.id } })
    const filed = dice.pick(messages).number
    const isArchived = !archived.has(filed)
    const archivedAt = isArchived ? minute(999) : null
    const where = { accountId_number: { accountId: 'a1', number: filed } }
    const created = { accountId: 'a1', number: filed, archivedAt }
    await world.database.conversationState.upsert({ where, create: created, update: { archivedAt } })
    if (isArchived) archived.add(filed)
    else archived.delete(filed)
    const latest = new Map<string, number>()
    for (const { number, at } of messages) latest.set(number, Math.max(at, latest.get(number) ?? 0))
    const expected = [...latest]
      .sort(([a, atA], [b, atB]) => atB - atA || Buffer.compare(Buffer.from(b), Buffer.from(a)))
      .map(([number, at]) => ({ number, line: `${number} ${minute(at).toISOString()}` }))
    const lines = (isWanted: (number: string) => boolean) =>
      expected.filter(({ number }) => isWanted(number)).map(({ line }) => line)
    expect(await pages({})).toEqual(lines(() => true))
    expect(await pages({ folder: 'inbox' })).toEqual(lines((number) => !archived.has(number)))
    expect(await pages({ folder: 'archived' })).toEqual(lines((number) => archived.has(number)))
    expect(await pages({ assignee: 'nobody' })).toEqual([])
  }
})

test.each([10, 0])(
  'a caller who may read one direction sees all its conversations, with at most %i new messages',
  async (mostUnordered) => {
    await send('+1', 1)
    await receive('+2', 2)
    await updateConversationOrder(world.database)
    await send('+3', 3)
    await receive('+4', 4)
    const limits = { firstSteps: [], fewNumbers: 10, mostUnordered, lastSteps: [100] }
    const options = { before: undefined, among: undefined, take: 9 }
    const numbers = async (visible: object) =>
      (await findConversations(world.database, { ...everything, ...visible }, options, limits)).map(
        ({ number }) => number,
      )
    expect(await numbers({ received: false })).toEqual(['+3', '+1'])
    expect(await numbers({ sent: false })).toEqual(['+4', '+2'])
  },
)

test('after a run the order contains exactly the conversations that still have messages', async () => {
  await send('+1', 1)
  const received = await receive('+2', 2)
  await receive('+3', 3)
  await world.database.conversationState.create({ data: { accountId: 'a1', number: '+3', blockedAt: minute(4) } })
  await updateConversationOrder(world.database)
  expect(await places()).toEqual([
    { accountId: 'a1', number: '+3', folder: 'blocked', lastAt: minute(3) },
    { accountId: 'a1', number: '+2', folder: 'inbox', lastAt: minute(2) },
    { accountId: 'a1', number: '+1', folder: 'inbox', lastAt: minute(1) },
  ])
  await world.database.inboxItem.deleteMany({ where: { id: received } })
  await updateConversationOrder(world.database)
  expect((await places()).map(({ number }) => number)).toEqual(['+3', '+1'])
  expect(await world.database.conversationOrderQueue.count()).toBe(0)
})

test('does not miss a message that is committed after a later one', async () => {
  const hold = Promise.withResolvers<void>()
  const isStored = Promise.withResolvers<void>()
  const slow = world.database.$transaction(async (statements) => {
    await statements.inboxItem.create({
      data: { ...common, id: 'slow', type: 'SMS', sender: '+1', createdAt: minute(1) },
    })
    isStored.resolve()
    await hold.promise
  })
  await isStored.promise
  await receive('+2', 2)
  const run = updateConversationOrder(world.database)
  const first = await Promise.race([run.then(() => 'ended'), new Promise((done) => setTimeout(done, 200, 'waits'))])
  expect(first).toBe('waits')
  hold.resolve()
  await Promise.all([slow, run])
  expect((await places()).map(({ number }) => number)).toEqual(['+2', '+1'])
})

test('a filled database is added in portions over several runs', async () => {
  for (let count = 0; count < 10; count++) await receive(`+${count}`, count)
  const lastKey = (await world.database.inboxItem.findFirstOrThrow({ orderBy: { key: 'desc' } })).key
  await updateConversationOrder(world.database, 0)
  await world.database.conversationOrderProgress.updateMany({ data: { receivedKey: lastKey - 10n } })
  await updateConversationOrder(world.database, 6)
  expect(await places()).toHaveLength(6)
  await updateConversationOrder(world.database, 6)
  expect(await places()).toHaveLength(10)
})

test('a removed account leaves nothing in the order', async () => {
  await send('+1', 1)
  await receive('+2', 2)
  await updateConversationOrder(world.database)
  for (const deleteSome of deleteAccountRows) await deleteSome(world.database, 'a1')
  await updateConversationOrder(world.database)
  expect([await places(), await world.database.conversationOrderQueue.count()]).toEqual([[], 0])
})

test('the last page of a folder reads less than a tenth of the messages', async () => {
  const messages = 20_000
  expect(await fillAndCount(messages / 2)).toBeLessThan(messages / 10)
})

/**
 * Fills the account with conversations, of which all but the oldest thirty are archived. Counts the rows and index
 * entries that PostgreSQL reads for the page of the inbox after the twentieth conversation.
 */
async function fillAndCount(conversations: number): Promise<number> {
  await world.database.inboxItem.deleteMany()
  await world.database.conversationState.deleteMany()
  await world.database.$executeRaw`
    INSERT INTO inbox (account_id, id, device_id, type, sender, created_at)
    SELECT 'a1', 'n' || n, 'd', 'SMS', '+' || n % ${conversations}, ${minute(0)}::timestamptz + n * interval '1 s'
    FROM generate_series(1, ${conversations}::int * 2) n`
  await world.database.$executeRaw`
    INSERT INTO conversation_states (account_id, number, archived_at)
    SELECT 'a1', '+' || n, now() FROM generate_series(31, ${conversations}::int - 1) n ON CONFLICT DO NOTHING`
  await world.database.$executeRaw`ANALYZE`
  await updateConversationOrder(world.database)
  // The connections have plans for an empty table, which read the whole table for each number.
  await world.database.$executeRaw`ANALYZE conversation_order`
  for (let from = 1_000; from <= conversations * 2; from += 1_000) await updateConversationOrder(world.database)
  // Autovacuum may have counted the rows while the table was small. With these counts, PostgreSQL would read the whole
  // table.
  await world.database.$executeRaw`ANALYZE`
  const before = (await findConversations(world.database, everything, options(20))).at(-1)
  return await world.database.$transaction(async (statements) => {
    const rowsBefore = await rowsRead(statements)
    expect(await findConversations(statements, everything, { ...options(20), before })).toHaveLength(11)
    return (await rowsRead(statements)) - rowsBefore
  })
}

/** Counts the rows and index entries that PostgreSQL has read for this connection since it last reported the count. */
async function rowsRead(statements: Statements): Promise<number> {
  const [read] = await statements.$queryRaw<{ count: number }[]>`
    SELECT sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::int AS count
    FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace`
  return read?.count ?? 0
}

const options = (take: number) => ({ before: undefined, among: undefined, filter: { folder: 'inbox' }, take }) as const
