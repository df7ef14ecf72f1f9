import { beforeAll, expect, test } from 'vitest'
import { useTestDatabase } from '../testing/test-database.ts'
import { enqueueEvents } from '../webhooks/outbox/enqueue-events.ts'
import { localTimeOf } from '../webhooks/outbox/local-time.ts'
import { receivedText } from '../webhooks/testing/received-text.ts'
import { deleteReceived } from './delete-received-statement.ts'
import type { Received } from './insert-received-statement.ts'
import { storeReceived } from './store-received.ts'

const shared = useTestDatabase()
beforeAll(async () => {
  const { database } = shared
  await database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '' } })
  for (const event of ['sms:received', 'sms:batch:received', 'sms:sent'])
    await database.webhook.create({ data: { accountId: 'a1', id: event, event, url: '', secretSealed: '' } })
})
const HOUR = 3_600
const items = async () => (await shared.database.inboxItem.findMany({ orderBy: { key: 'asc' } })).map(({ id }) => id)
const deliveries = async () =>
  (await shared.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })).map(({ event, state }) => [
    event,
    state,
  ])
const age = async (seconds: number) => {
  await shared.database.$executeRaw`UPDATE inbox SET stored_at = stored_at - make_interval(secs => ${seconds})`
  await shared.database
    .$executeRaw`UPDATE webhook_deliveries SET created_at = created_at - make_interval(secs => ${seconds})`
}
const receive = (id: string) => {
  const facts = { kind: 'received', type: 'SMS', parts: 1, receivedAt: '2026-03-01T09:00:00Z' } as const
  const received: Received = { ...facts, id, sender: '+1', simNumber: 1, text: `code ${id}` }
  return storeReceived(shared.database, { id: 'd1', accountId: 'a1' }, received, new Date())
}

test('deletes received messages after the configured time, and their webhook deliveries when they are finished', async () => {
  const { database } = shared
  await receive('old')
  const facts = { deviceId: 'd1', cmdId: 'c', messageId: 'm', recipient: '+1', sender: null, simNumber: 1 }
  await enqueueEvents(database, 'a1', [
    { event: 'sms:batch:received', deviceId: 'd1', messages: [receivedText('old')] },
    { event: 'sms:sent', ...facts, at: localTimeOf('2026-03-01T15:46:11+07:00'), partsCount: 1 },
  ])
  await age(HOUR)
  await receive('new')
  expect(await deleteReceived(database, HOUR)).toBe(1)
  expect(await items()).toEqual(['new'])
  expect(await deliveries()).toHaveLength(4)

  await database.webhookDelivery.updateMany({ data: { state: 'delivered', finishedAt: new Date() } })
  expect(await deleteReceived(database, HOUR)).toBe(0)
  expect(await deliveries()).toEqual([
    ['sms:sent', 'delivered'],
    ['sms:received', 'delivered'],
  ])
  const left = JSON.stringify(await database.webhookDelivery.findMany(), (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  expect(left).not.toContain('code old')
})

test('deletes received messages from the deliveries of a webhook for several events', async () => {
  const { database } = shared
  await database.webhook.deleteMany()
  const events = ['sms:sent', 'sms:received']
  await database.webhook.create({
    data: { accountId: 'a1', id: 'both', event: 'sms:sent', events, url: '', secretSealed: '' },
  })
  await receive('other')
  await database.webhookDelivery.updateMany({ data: { state: 'delivered', finishedAt: new Date() } })
  await age(HOUR)
  await deleteReceived(database, HOUR)
  expect(await deliveries()).toEqual([])
})

test('deletes pictures of any size with their messages, in several statements', async () => {
  const { database } = shared
  const ofMms = { accountId: 'a1', deviceId: 'd1', type: 'MMS_DOWNLOADED', sender: '+1', createdAt: new Date() }
  for (const id of ['m1', 'm2', 'm3']) {
    const { key: inboxKey } = await database.inboxItem.create({ data: { ...ofMms, id } })
    // The row contains a large size, so that the test needs no large picture.
    const picture = { partId: 1n, position: 0, name: '', contentType: 'image/png', size: 70 * 2 ** 20 }
    await database.inboxAttachment.create({ data: { ...picture, inboxKey, octets: new Uint8Array(1) } })
  }
  await age(HOUR)
  expect(await deleteReceived(database, HOUR)).toBeGreaterThanOrEqual(3)
  expect([await items(), await database.inboxAttachment.count()]).toEqual([[], 0])
})

test('a run ends although more messages expire during the run', async () => {
  const { database } = shared
  await receive('first')
  let arrived = 0
  const whileOthersArrive = {
    $queryRaw: database.$queryRaw.bind(database),
    async $executeRaw(...statement: Parameters<typeof database.$executeRaw>) {
      const deleted = await database.$executeRaw(...statement)
      if (arrived < 3) await receive(`late ${++arrived}`)
      return deleted
    },
  }
  expect(await deleteReceived(whileOthersArrive as never, 0)).toBe(1)
  expect(await items()).toEqual(['late 1', 'late 2', 'late 3'])
})
