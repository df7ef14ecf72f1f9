import { afterEach, expect, test } from 'vitest'
import { connectDatabase } from '../../store/database.ts'
import { rawTransaction } from '../../store/raw-statements.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { enqueueAgain, enqueueEvents } from './enqueue-events.ts'
import { eventId } from './event-id.ts'
import { localTimeOf } from './local-time.ts'
import type { OutboxEvent, ReceivedText } from './outbox-event.ts'

const shared = useTestDatabase()
afterEach(() => shared.database.account.deleteMany())

const at = localTimeOf('2026-03-01T15:46:11+07:00')
const text = (messageId: string, message = 'hello'): ReceivedText => ({
  event: 'sms:received',
  deviceId: 'd1',
  messageId,
  sender: '+1',
  recipient: null,
  simNumber: 1,
  receivedAt: at,
  message,
})
const sent: OutboxEvent = {
  event: 'sms:sent',
  deviceId: 'd1',
  cmdId: 'c1',
  messageId: 'm1',
  recipient: '+1',
  sender: null,
  simNumber: 1,
  at,
  partsCount: 1,
}

async function account(id: string): Promise<void> {
  await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
}

async function webhook(
  id: string,
  event: string,
  more: { accountId?: string; deviceId?: string; disabledAt?: Date } = {},
) {
  const accountId = more.accountId ?? 'a1'
  return shared.database.webhook.create({ data: { url: 'https://x', secretSealed: '', id, event, ...more, accountId } })
}

const deliveries = () =>
  shared.database.webhookDelivery.findMany({ orderBy: { key: 'asc' }, include: { webhook: true } })
const summaries = async () => (await deliveries()).map(({ webhook: { id }, event, state }) => `${id} ${event} ${state}`)

test('adds a delivery for each webhook registered for event and device, and for no other', async () => {
  await account('a1')
  await account('a2')
  await webhook('all', 'sms:received')
  await webhook('this device', 'sms:received', { deviceId: 'd1' })
  await webhook('other device', 'sms:received', { deviceId: 'd2' })
  await webhook('other account', 'sms:received', { accountId: 'a2' })
  await webhook('sent', 'sms:sent')
  await webhook('failed', 'sms:failed')
  expect(await enqueueEvents(shared.database, 'a1', [text('m1'), sent, text('m2')])).toBe(5)
  expect((await summaries()).sort()).toEqual([
    'all sms:received waiting',
    'all sms:received waiting',
    'sent sms:sent waiting',
    'this device sms:received waiting',
    'this device sms:received waiting',
  ])
})

test('a row contains the derived id, the device and the payload', async () => {
  await account('a1')
  await webhook('w1', 'sms:received')
  await enqueueEvents(shared.database, 'a1', [text('m1', 'half a pair \ud83d, a NUL \u0000')])
  expect(await deliveries()).toMatchObject([
    {
      id: eventId('a1', 'w1', text('m1')),
      accountId: 'a1',
      deviceId: 'd1',
      attempts: 0,
      finishedAt: null,
      payload: { messageId: 'm1', message: 'half a pair \ufffd, a NUL \ufffd', recipient: null },
    },
  ])
})

test('an event that is enqueued several times, in one or many transactions at once, has one row', async () => {
  await account('a1')
  await webhook('w1', 'sms:received')
  await webhook('w2', 'sms:received')
  const events = ['m1', 'm2', 'm3', 'm4'].map((id) => text(id))
  const counts = await Promise.all(
    [events, [...events, ...events], events.toReversed(), events].map((summaries) =>
      shared.database.$transaction((statements) => enqueueEvents(statements, 'a1', summaries)),
    ),
  )
  expect(counts.reduce((sum, count) => sum + count)).toBe(8)
  expect(await deliveries()).toHaveLength(8)
})

test('a row exists only if the transaction of the event commits', async () => {
  await account('a1')
  await webhook('w1', 'sms:received')
  const failing = shared.database.$transaction(async (statements) => {
    await enqueueEvents(statements, 'a1', [text('m1')])
    throw new Error('the event could not be stored')
  })
  await expect(failing).rejects.toThrow('could not be stored')
  expect(await deliveries()).toEqual([])
})

test('the transaction of an event is committed even if a webhook is deleted meanwhile', async () => {
  await account('a1')
  const { key } = await webhook('w1', 'sms:received')
  await webhook('w2', 'sms:received')
  let enqueued: Promise<number> | undefined
  await shared.database.$transaction(async (statements) => {
    await statements.webhook.delete({ where: { key } })
    enqueued = shared.database.$transaction((other) => enqueueEvents(other, 'a1', [text('m1')]))
    await waitsForALock()
  })
  expect(await enqueued).toBe(1)
  expect(await summaries()).toEqual(['w2 sms:received waiting'])
})

test('a disabled webhook keeps its missed events unsent', async () => {
  await account('a1')
  await webhook('w1', 'sms:received', { disabledAt: new Date() })
  await enqueueEvents(shared.database, 'a1', [text('m1')])
  await enqueueAgain(shared.database, 'a1', [text('m1'), text('m2')])
  expect(await summaries()).toEqual(['w1 sms:received dropped', 'w1 sms:received dropped'])
  expect((await deliveries())[0]?.finishedAt).not.toBeNull()
})

test('events delivered before a webhook was disabled stay delivered', async () => {
  await account('a1')
  await webhook('w1', 'sms:received')
  await enqueueEvents(shared.database, 'a1', [text('m1')])
  await shared.database.webhookDelivery.updateMany({ data: { state: 'delivered' } })
  await shared.database.webhook.updateMany({ data: { disabledAt: new Date() } })
  await enqueueAgain(shared.database, 'a1', [text('m1')])
  expect(await summaries()).toEqual(['w1 sms:received delivered'])
})

test('a delivered event that is enqueued again is delivered again under its id with its present content', async () => {
  await account('a1')
  await webhook('w1', 'sms:received')
  await enqueueEvents(shared.database, 'a1', [text('m1', 'the beginning')])
  const before = await deliveries()
  await shared.database.webhookDelivery.updateMany({
    data: { state: 'delivered', attempts: 3, finishedAt: new Date() },
  })
  expect(await enqueueAgain(shared.database, 'a1', [text('m1', 'the beginning and the end'), text('m2')])).toBe(2)
  const after = await deliveries()
  expect(after).toHaveLength(2)
  expect(after[0]).toMatchObject({
    key: before[0]?.key,
    id: before[0]?.id,
    state: 'waiting',
    attempts: 0,
    finishedAt: null,
    payload: { message: 'the beginning and the end' },
  })
})

test('writes nothing without events or without webhooks', async () => {
  await account('a1')
  expect(await enqueueEvents(shared.database, 'a1', [])).toBe(0)
  expect(await enqueueEvents(shared.database, 'a1', [text('m1')])).toBe(0)
})

async function waitsForALock(): Promise<void> {
  for (;;) {
    const [row] = await shared.database.$queryRaw<[{ waiting: bigint }]>`
      SELECT count(*) AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    if (row.waiting > 0n) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('PostgreSQL plans the statements only for their first uses', async () => {
  await account('a1')
  await webhook('w', 'sms:received')
  const other = connectDatabase({ url: shared.url, connections: 1 })
  for (let at = 0; at < 8; at += 1)
    await rawTransaction(other, (statements) => enqueueEvents(statements, 'a1', [text(`m${at}`)]))
  const plans = await other.$queryRaw<{ custom: number; generic: number }[]>`
    SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements
    WHERE statement ~ '(INSERT INTO webhook_deliveries|INSERT INTO push_notifications|FROM webhooks) '`
  await other.$disconnect()
  const planned = { custom: 5, generic: 3 }
  expect(plans).toEqual([planned, planned, planned])
})
