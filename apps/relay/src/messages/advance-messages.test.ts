import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type DispatchWorld, dispatchWorld } from '../agents/testing/dispatch-world.ts'
import { someoneWaits } from '../testing/someone-waits.ts'
import { type TestDatabase, testDatabase } from '../testing/test-database.ts'
import { advanceMessages } from './advance-messages.ts'
import type { RecipientNews } from './message-progress.ts'
import type { RecipientInput } from './message-state.ts'

let store: TestDatabase
let world: DispatchWorld

beforeAll(async () => {
  store = await testDatabase()
})

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  for (const event of ['sms:sent', 'sms:delivered', 'sms:failed', 'sms:cancelled']) await world.webhook(event)
})

afterAll(() => store.close())

const at = new Date('2026-03-01T11:00:00.000Z')
const told = (cmdId: string, kind: 'processed' | 'sent' | 'delivered' | 'cancel-asked' | 'cancelled') =>
  ({ accountId: 'account', cmdId, input: { kind, at } }) satisfies RecipientNews

function advance(...news: RecipientNews[]) {
  return store.database.$transaction((statements) => advanceMessages(statements, news, world.now))
}

test('several reports on one recipient in one go leave every time, one state and one webhook event for each', async () => {
  await world.message('m', { journal: 'j' })
  await advance(told('m/0', 'processed'), { ...told('m/0', 'sent'), simNumber: 2, sender: '+491', parts: 3 })
  await advance(told('m/0', 'sent'), told('m/0', 'delivered'), told('m/0', 'delivered'))
  expect(await world.recipient('m/0')).toMatchObject({
    state: 'Delivered',
    processedAt: at,
    sentAt: at,
    deliveredAt: at,
    usedSimNumber: 2,
    senderNumber: '+491',
    partsCount: 3,
  })
  const message = await store.database.message.findFirstOrThrow()
  expect(message).toMatchObject({ state: 'Delivered', processedAt: at, sentAt: at, deliveredAt: at })
  expect(message.finishedAt).toEqual(world.now)
  expect(await world.outbox()).toEqual(['sms:sent m', 'sms:delivered m'])
})

test('a message is as far as its slowest recipient, and finished when the last one is', async () => {
  await world.message('m', { journal: 'j', numbers: 3 })
  await advance(told('m/0', 'processed'), told('m/0', 'sent'), told('m/1', 'processed'))
  expect(await world.messageState('m')).toBe('Pending')
  await advance(told('m/2', 'processed'))
  expect(await world.messageState('m')).toBe('Processed')
  await advance(told('m/1', 'sent'))
  expect(await store.database.message.findFirst()).toMatchObject({ state: 'Processed', finishedAt: null })
  await advance({ ...told('m/2', 'sent'), input: { kind: 'failed', at, code: 'refused', reason: 'CMS 38' } })
  expect(await store.database.message.findFirst()).toMatchObject({ state: 'Sent', finishedAt: world.now })
})

test('what another account or another device tells about a recipient changes nothing and is named', async () => {
  await world.account('other')
  await world.message('m', { journal: 'j', numbers: 2 })
  const foreign = [
    { ...told('m/0', 'sent'), accountId: 'other' },
    { ...told('m/0', 'sent'), deviceId: 'another device' },
    told('unheard of', 'sent'),
  ]
  const { unknown, changed } = await advance(...foreign, told('m/1', 'sent'))
  expect(unknown).toEqual(foreign)
  expect([...changed]).toEqual(['m/1'])
  expect((await world.recipient('m/0')).state).toBe('Pending')
})

test('many messages, recipients and kinds of news are written at once', async () => {
  const ids = Array.from({ length: 30 }, (_, number) => `m${number}`)
  for (const id of ids) await world.message(id, { journal: 'j', numbers: 2 })
  const inputs: RecipientInput[] = [
    { kind: 'processed', at },
    { kind: 'waiting', at, code: 'held', reason: 'waits' },
    { kind: 'failed', at, code: 'refused', reason: 'CMS 38' },
    { kind: 'cancel-asked', at },
    { kind: 'device-lost', at },
  ]
  const expected = ['Processed', 'Pending', 'Failed', 'Cancelling', 'Failed']
  await advance(
    ...ids.map((id, number) => ({ ...told(`${id}/1`, 'sent'), input: inputs[number % 5] as RecipientInput })),
  )
  for (const [number, id] of ids.entries()) {
    expect((await world.recipient(`${id}/1`)).state).toBe(expected[number % 5])
    expect((await world.recipient(`${id}/0`)).state).toBe('Pending')
  }
  expect(await world.outbox()).toHaveLength(12)
})

test('a cancel waits for a dispatch that is under way, and sees its result', async () => {
  await world.message('m')
  await store.database
    .$transaction(async (statements) => {
      await statements.$queryRaw`SELECT FROM recipients WHERE cmd_id = 'm/0' FOR UPDATE SKIP LOCKED`
      const cancel = advance(told('m/0', 'cancel-asked'))
      await Promise.race([cancel, someoneWaits(store.database)])
      await statements.$executeRaw`UPDATE recipients SET dispatched_journal = 'j' WHERE cmd_id = 'm/0'`
      return { cancel }
    })
    .then(({ cancel }) => cancel)
  expect((await world.recipient('m/0')).state).toBe('Cancelling')
})
