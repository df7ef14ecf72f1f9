import { beforeEach, expect, test } from 'vitest'
import { dispatchWorld } from '../../link/testing/dispatch-world.ts'
import { someoneWaits } from '../../testing/someone-waits.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { testMessage } from '../testing/new-message.ts'
import type { NewMessage } from './accept-messages.ts'
import { type AcceptOutcome, acceptMessages } from './accept-messages.ts'
import { groupAccepts } from './group-accepts.ts'
import { isStatementError } from './statement-error.ts'

const PATIENCE_MS = 5_000
const UNSTORABLE = { kind: 'text', text: '\0' } as const
const db = useTestDatabase({ connections: 10 })

beforeEach(async () => {
  await db.database.account.deleteMany()
  await dispatchWorld(db.database)
})

const keyed = (id: string, key: string, fingerprint = 1) =>
  testMessage(id, { idempotency: { key, fingerprint: Uint8Array.of(fingerprint) } })

async function kinds(messages: readonly NewMessage[]): Promise<string[]> {
  const outcomes = await acceptMessages(db.database, messages, PATIENCE_MS)
  return outcomes.map(({ kind }) => kind)
}

function grouped(): (message: NewMessage) => Promise<AcceptOutcome> {
  return groupAccepts({
    accept: (messages, waitMs) => acceptMessages(db.database, messages, waitMs),
    isAboutOne: isStatementError,
  })
}

async function storedIds(): Promise<string[]> {
  const rows = await db.database.message.findMany({ select: { id: true }, orderBy: { id: 'asc' } })
  return rows.map(({ id }) => id)
}

test('returns the outcome of each message of a group', async () => {
  await acceptMessages(db.database, [testMessage('taken'), keyed('first', 'k')], PATIENCE_MS)
  const group = [
    testMessage('new'),
    { ...testMessage('taken'), recipients: testMessage('other').recipients },
    keyed('again', 'k'),
    keyed('other thing', 'k2'),
    testMessage('homeless', { deviceId: 'unknown' }),
  ]
  expect(await kinds(group)).toEqual(['accepted', 'id-taken', 'repeated', 'accepted', 'device-gone'])
  expect(await kinds([keyed('mistake', 'k', 2)])).toEqual(['key-taken'])
  expect(await storedIds()).toEqual(['first', 'new', 'other thing', 'taken'])
})

test('recognises a message that it has stored itself, when it retries after a lost connection', async () => {
  const group = [testMessage('a'), keyed('b', 'k')]
  expect(await kinds(group)).toEqual(['accepted', 'accepted'])
  expect(await kinds(group)).toEqual(['accepted', 'accepted'])
  expect(await db.database.recipient.count()).toBe(2)
})

test('stores the rest of a group when one message cannot be stored', async () => {
  const accept = grouped()
  const messages = Array.from({ length: 30 }, (_, index) =>
    testMessage(`m${index}`, index === 17 ? { content: UNSTORABLE } : {}),
  )
  const outcomes = await Promise.allSettled(messages.map(accept))
  expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([17])
  expect((await storedIds()).length).toBe(29)
})

test('only a duplicate waits for a hanging transaction, and then gets its answer', async () => {
  const accept = grouped()
  const finish = Promise.withResolvers<void>()
  const stored = Promise.withResolvers<void>()
  const hanging = db.database.$transaction(async (statements) => {
    await acceptMessages(statements, [keyed('first', 'k')], PATIENCE_MS)
    stored.resolve()
    await finish.promise
  })
  await stored.promise
  const twin = accept(keyed('second', 'k'))
  const neighbours = ['a', 'b', 'c'].map((id) => accept(testMessage(id)))
  expect((await Promise.all(neighbours)).map(({ kind }) => kind)).toEqual(Array(3).fill('accepted'))
  await someoneWaits(db.database)
  finish.resolve()
  await hanging
  expect(await twin).toMatchObject({ kind: 'repeated', message: { id: 'first' } })
})

test('stores nothing for a device that is being deleted', async () => {
  const locked = Promise.withResolvers<void>()
  const deletion = db.database.$transaction(async (statements) => {
    await statements.$queryRaw`SELECT id FROM devices WHERE id = 'device' FOR UPDATE`
    await statements.device.update({ where: { id: 'device' }, data: { deletedAt: new Date() } })
    locked.resolve()
    await someoneWaits(db.database)
  })
  await locked.promise
  expect(await kinds([testMessage('m')])).toEqual(['device-gone'])
  await deletion
})

test('does not deadlock when two groups contain the same keys and ids in different order', async () => {
  const make = (round: string, order: readonly number[]) =>
    order.map((index) => (index % 2 ? keyed(`${round} ${index}`, `k${index}`) : testMessage(`m${index}`)))
  const order = Array.from({ length: 40 }, (_, index) => index)
  for (let round = 0; round < 5; round++) {
    await db.database.message.deleteMany()
    const rounds = [order, order.toReversed()].map((one, index) => kinds(make(`${round} ${index}`, one)))
    expect((await Promise.all(rounds)).flat().length).toBe(80)
    expect((await storedIds()).length).toBe(40)
  }
})
