import { beforeEach, expect, test } from 'vitest'
import { inboxRetention } from '../inbox/inbox-retention-statement.ts'
import { deleteOldMessages } from '../messages/delete-old-messages-statement.ts'
import { hashMessages } from '../messages/hash-messages.ts'
import type { Statements } from '../store/database.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { updateConversationOrder } from './update-order.ts'
import { lockOrder } from './update-order-statement.ts'

const world = useTestDatabase()
beforeEach(async () => {
  await world.database.account.deleteMany()
  await world.database.conversationOrderQueue.deleteMany()
  await world.database.installation.deleteMany()
  await world.database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '' } })
})

const common = { accountId: 'a1', deviceId: 'Xk2Zt7vQ9sLrB4mNdP1aW' }
const hour = (count: number) => new Date(Date.UTC(2026, 2, 1, count))

async function send(id: string, at: Date, { phoneNumber = '+1', dueAt = at } = {}): Promise<void> {
  const recipient = { ...common, cmdId: id, position: 0, phoneNumber, dueAt }
  await world.database.message.create({ data: { ...common, id, createdAt: at, recipients: { create: [recipient] } } })
}

async function receive(id: string, at: Date): Promise<void> {
  await world.database.inboxItem.create({ data: { ...common, id, type: 'SMS', sender: '+1', createdAt: at } })
}

const deleteSent = (statements: Statements, ...ids: string[]) =>
  statements.message.deleteMany({ where: { id: { in: ids } } })
const deleteReceived = (statements: Statements, ...ids: string[]) =>
  statements.inboxItem.deleteMany({ where: { id: { in: ids } } })
const queued = async () => (await world.database.conversationOrderQueue.findMany()).map(({ number }) => number)
const places = async () =>
  (await world.database.conversationOrder.findMany()).map(({ number, lastAt }) => [number, lastAt])

test('only a deleted message that may be the last one of its conversation changes the order', async () => {
  await send('old', hour(1))
  await receive('first', hour(2))
  await send('scheduled', hour(3), { dueAt: hour(9) })
  await receive('second', hour(4))
  // The clock was read again for the time of creation.
  await send('last', hour(6), { dueAt: new Date(hour(6).getTime() - 1_000) })
  await send('other', hour(1), { phoneNumber: '+2' })
  await updateConversationOrder(world.database)
  await deleteSent(world.database, 'old')
  await deleteReceived(world.database, 'first', 'second')
  expect(await queued()).toEqual([])
  await deleteSent(world.database, 'scheduled', 'other')
  expect((await queued()).toSorted()).toEqual(['+1', '+2'])
  await updateConversationOrder(world.database)
  expect(await places()).toEqual([['+1', hour(6)]])
  await deleteSent(world.database, 'last')
  expect(await queued()).toEqual(['+1'])
})

test('the last message is looked up again if the clock was set back after it was stored', async () => {
  const setBack = { streamId: 'stream', secretCheck: '', clockSetBackAt: hour(4) }
  await world.database.installation.create({ data: setBack })
  await receive('old', hour(1))
  await send('last', hour(9), { dueAt: hour(4) })
  await send('approved', hour(9), { phoneNumber: '+2', dueAt: hour(5) })
  await send('later', hour(24 * 40), { phoneNumber: '+3' })
  await send('latest', hour(24 * 41), { phoneNumber: '+3' })
  await updateConversationOrder(world.database)
  await deleteSent(world.database, 'last', 'approved')
  await updateConversationOrder(world.database)
  expect((await places()).toSorted()).toEqual([
    ['+1', hour(1)],
    ['+3', hour(24 * 41)],
  ])
  await deleteSent(world.database, 'later')
  expect(await queued()).toEqual([])
})

test('a number is looked up again when it is replaced by its hash', async () => {
  await receive('old', hour(1))
  await send('last', hour(6))
  await send('other', hour(6), { phoneNumber: '+2' })
  await updateConversationOrder(world.database)
  await world.database.message.updateMany({ data: { state: 'Sent', finishedAt: hour(7) } })
  await hashMessages({ database: world.database, clock: { now: () => hour(9) }, hashAfterSeconds: 60 })
  await updateConversationOrder(world.database)
  expect(await places()).toEqual([['+1', hour(1)]])
})

test.each([
  ['sent', send, deleteSent],
  ['received', receive, deleteReceived],
] as const)('the order never keeps the time of a %s message that is deleted during a run', async (_, store, remove) => {
  await store('old', hour(1))
  await store('last', hour(6))
  await updateConversationOrder(world.database)
  const hold = Promise.withResolvers<void>()
  const isDeleted = Promise.withResolvers<void>()
  const slow = world.database.$transaction(async (statements) => {
    await remove(statements, 'old')
    isDeleted.resolve()
    await hold.promise
  })
  await isDeleted.promise
  expect((await remove(world.database, 'last')).count).toBe(1)
  const run = updateConversationOrder(world.database)
  const first = await Promise.race([run.then(() => 'ended'), new Promise((done) => setTimeout(done, 200, 'waits'))])
  hold.resolve()
  await Promise.all([slow, run])
  await updateConversationOrder(world.database)
  expect(await places()).toEqual([])
  expect(first).toBe('waits')
})

test('a message that is deleted while the job changes the order is looked up again, without waiting', async () => {
  await send('old', hour(1))
  await receive('received', hour(2))
  await send('last', hour(6))
  await updateConversationOrder(world.database)
  await world.database.$transaction(async (statements) => {
    await lockOrder(statements)
    await deleteSent(world.database, 'old')
    expect(await queued()).toEqual(['+1'])
    await deleteReceived(world.database, 'received')
    expect(await queued()).toEqual(['+1', '+1'])
  })
})

test.each([
  ['messages', () => deleteOldMessages({ database: world.database, clock: { now: () => new Date() } })],
  ['received messages', () => inboxRetention.deleteOlder(world.database, 'a1', hour(5), 10)],
])(
  'retention of %s waits for the job, and only the last message of a conversation changes the order',
  async (_, run) => {
    await send('old', hour(1))
    await receive('received', hour(2))
    await world.database.message.updateMany({ data: { state: 'Sent', finishedAt: hour(2) } })
    await send('last', hour(6))
    await updateConversationOrder(world.database)
    let deleting: Promise<number> | undefined
    await world.database.$transaction(async (statements) => {
      await lockOrder(statements)
      deleting = run()
      const first = await Promise.race([deleting, new Promise((done) => setTimeout(done, 200, 'waits'))])
      expect(first).toBe('waits')
    })
    expect(await deleting).toBe(1)
    expect(await queued()).toEqual([])
  },
)
