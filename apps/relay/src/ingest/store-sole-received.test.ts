import type { AgentEvent } from '@smsgw/contract/link/event'
import { beforeEach, describe, expect, test } from 'vitest'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { type DispatchWorld, dispatchWorld } from '../link/testing/dispatch-world.ts'
import { someoneWaits } from '../testing/someone-waits.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { recordBatches } from './record-batches.ts'
import { recordEvents } from './record-events.ts'
import { type FreeWorker, type SoleReceived, storeSoleReceived } from './store-sole-received-statement.ts'

const store = useTestDatabase()
let world: DispatchWorld
let connection: AgentConnection

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  await store.database.pushNotification.deleteMany()
  connection = (await world.connect()).connection
})

type ReceivedEvent = Extract<AgentEvent, { readonly kind: 'received' }>

const facts = { kind: 'received', receivedAt: '2026-03-01T18:46:11.250+07:00', sender: '+1', simNumber: 2 } as const
const text = (id: string, message = 'hello'): ReceivedEvent => ({ ...facts, id, type: 'SMS', text: message, parts: 1 })
const sole = (seq: number, event: ReceivedEvent): SoleReceived => ({ connection, seq, tag: `tag ${seq}`, event })
const batch = (seq: number, event: ReceivedEvent) => ({
  ...{ connection, from: seq, skipped: 0, tag: `tag ${seq}`, events: [{ event }] },
})
const storeOne = (received: SoleReceived, free?: FreeWorker) =>
  storeSoleReceived(store.database, received, world.now, free)
const worker: FreeWorker = { worker: 7, leaseSeconds: 30, busy: [], limit: 5 }

async function webhook(id: string, more: object = {}): Promise<bigint> {
  const data = { id, accountId: 'account', url: 'https://a.example', event: 'sms:received', secretSealed: 'sealed' }
  return (await store.database.webhook.create({ data: { ...data, ...more } })).key
}

async function subscribe(id: string, more: object = {}): Promise<void> {
  await store.database.pushSubscription.create({
    data: {
      ...{ id, accountId: 'account', endpointHash: id, endpointSealed: '', service: '', p256dh: '', authSealed: '' },
      ...{ language: 'en', showsText: true, createdAt: world.now, events: ['message.received'], ...more },
    },
  })
}

/** Everything that a received message changes, without keys and the present time. */
async function stored() {
  const { database } = store
  const [inbox, deliveries, notifications, journals] = await Promise.all([
    database.inboxItem.findMany({ orderBy: { key: 'asc' }, omit: { key: true, storedAt: true } }),
    database.webhookDelivery.findMany({
      ...{ orderBy: [{ webhookKey: 'asc' }, { id: 'asc' }] },
      omit: { key: true, createdAt: true, nextAttemptAt: true, finishedAt: true },
    }),
    database.pushNotification.findMany({
      ...{ orderBy: { subscriptionId: 'asc' }, omit: { key: true, createdAt: true, nextAttemptAt: true } },
    }),
    database.deviceJournal.findMany({ select: { journalId: true, mark: true, markTag: true } }),
  ])
  return { inbox, deliveries, notifications, journals }
}

const mms = { type: 'MMS', transactionId: 'T1', subject: 'Holiday', size: 7, contentClass: '' } as const

describe.each<[string, ReceivedEvent]>([
  ['a text', text('i1')],
  ['a text with all facts', { ...text('i1'), recipient: '+2', isEncrypted: true } as ReceivedEvent],
  ['a text with characters that the database cannot store', text('i"1\u0000\\', 'a\u0000b\ud800')],
  ['a text of a blocked sender', { ...text('i1'), sender: '+9' }],
  ['a text with an impossible time', { ...text('i1'), receivedAt: '1980-01-06T00:00:00Z' }],
  ['a text that looks like a code', text('i1', 'your code is 123456')],
  ['data', { ...facts, id: 'i1', type: 'DATA_SMS', data: '3q2+7w==', port: 53739 }],
  ['an MMS notification', { ...facts, id: 'i1', ...mms, expiresAt: '2026-03-04T08:46:11Z' } as ReceivedEvent],
  ['an MMS notification without a subject', { ...facts, id: 'i1', ...mms, subject: undefined } as ReceivedEvent],
])('%s', (_, event) => {
  async function prepare(): Promise<void> {
    await world.account('other')
    const inbound = ['sms:received', 'sms:data-received', 'mms:received']
    await webhook('every kind', { events: inbound })
    await webhook('only texts')
    await webhook('an "id" with \\ and ü and \u0001 and \u2028', { events: inbound })
    await webhook('of the device', { events: inbound, deviceId: 'device' })
    await webhook('of another device', { events: inbound, deviceId: 'other' })
    await webhook('of another account', { events: inbound, accountId: 'other' })
    await webhook('twilio', { events: inbound, format: 'twilio' })
    await webhook('twilio-status', { events: inbound, format: 'twilio-status' })
    await webhook('kannel-dlr', { events: inbound, format: 'kannel-dlr' })
    await webhook('disabled', { events: inbound, disabledAt: world.now })
    await webhook('other events', { event: 'sms:sent' })
    await subscribe('shows texts')
    await subscribe('hides texts', { showsText: false })
    await subscribe('other events', { events: ['message.failed'] })
    await subscribe('of another account', { accountId: 'other' })
    await store.database.conversationState.create({
      data: { accountId: 'account', number: '+9', blockedAt: world.now },
    })
  }

  test('is stored by one statement exactly as together with other events', async () => {
    await prepare()
    const keys = await store.database.webhook.findMany({ orderBy: { key: 'asc' }, select: { key: true } })
    await store.database.$transaction((statements) => recordBatches(statements, [batch(1, event)], world.now))
    const expected = await stored()
    await store.database.webhookDelivery.deleteMany()
    await store.database.inboxItem.deleteMany()
    await store.database.pushNotification.deleteMany()
    await store.database.deviceJournal.updateMany({ data: { mark: 0, markTag: null } })
    expect(await storeOne(sole(1, event), worker)).toBeDefined()
    expect(await stored()).toEqual(expected)
    expect(await store.database.webhook.findMany({ orderBy: { key: 'asc' }, select: { key: true } })).toEqual(keys)
  })
})

describe('a received message is stored exactly once', () => {
  const nothing = async (received: SoleReceived) => {
    const before = await stored()
    expect(await storeOne(received, worker)).toBeUndefined()
    expect(await stored()).toEqual(before)
  }

  beforeEach(async () => void (await webhook('w1')))

  test('a repeated event, and an event after a gap, are left to the usual way', async () => {
    expect(await storeOne(sole(1, text('i1')))).toEqual({ enqueued: 1, taken: [] })
    await nothing(sole(1, text('i1')))
    await nothing(sole(1, text('another message with the same number')))
    await nothing(sole(3, text('i3')))
    expect(await storeOne(sole(2, text('i2')))).toEqual({ enqueued: 1, taken: [] })
    expect((await stored()).journals).toEqual([{ journalId: 'journal', mark: 2n, markTag: 'tag 2' }])
  })

  test('an event of a superseded connection, another journal or a deleted device is not stored', async () => {
    await nothing({ ...sole(1, text('i1')), connection: { ...connection, journalId: 'other' } })
    await nothing({ ...sole(1, text('i1')), connection: { ...connection, accountId: 'other' } })
    await world.connect({ relayId: 'elsewhere' })
    await nothing(sole(1, text('i1')))
    connection = (await world.connect()).connection
    await store.database.device.updateMany({ data: { deletedAt: world.now } })
    await nothing(sole(1, text('i1')))
  })

  test('a message that the inbox already has does not advance the mark, so that a partial message is completed', async () => {
    await recordEvents(
      store.database,
      [batch(1, { ...text('i1', 'hel'), isPartial: true } as ReceivedEvent)],
      world.now,
    )
    await nothing(sole(2, text('i1')))
    await recordEvents(store.database, [batch(2, text('i1'))], world.now)
    expect(await stored()).toMatchObject({
      inbox: [{ text: 'hello', isPartial: false }],
      deliveries: [{ payload: { message: 'hello' } }],
      journals: [{ mark: 2n }],
    })
  })

  test('two relays that get the same event at the same time store it once, and both acknowledge it', async () => {
    for (let seq = 1; seq <= 20; seq += 1) {
      const both = [1, 2].map(() => recordEvents(store.database, [batch(seq, text(`i${seq}`))], world.now))
      const results = (await Promise.all(both)).flat()
      expect(results).toMatchObject([1, 2].map(() => ({ value: { result: { kind: 'stored', mark: seq } } })))
    }
    expect(await stored()).toMatchObject({ inbox: { length: 20 }, deliveries: { length: 20 } })
  })

  test('an event that waits for another transaction of its journal sees the mark of that transaction', async () => {
    const { late } = await store.database.$transaction(async (statements) => {
      await recordBatches(statements, [batch(1, text('i1'))], world.now)
      const late = storeOne(sole(1, text('i1')))
      await Promise.race([late, someoneWaits(store.database)])
      return { late }
    })
    expect(await late).toBeUndefined()
    expect(await stored()).toMatchObject({ inbox: { length: 1 }, deliveries: { length: 1 } })
  })

  test('nothing is stored if a part of the statement fails, and the event can be repeated', async () => {
    for (const table of ['webhook_deliveries', 'device_journals', 'inbox', 'push_notifications', 'webhooks']) {
      await store.database.$executeRaw`
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'no room on the disk' USING ERRCODE = 'disk_full'; END $$`
      await store.database.$executeRawUnsafe(
        `CREATE TRIGGER refuse AFTER INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION refuse()`,
      )
      const before = await stored()
      await expect(storeOne(sole(1, text('i1')), worker)).rejects.toThrow('no room on the disk')
      expect(await stored()).toEqual(before)
      await store.database.$executeRaw`DROP FUNCTION refuse CASCADE`
    }
    expect(await storeOne(sole(1, text('i1')), worker)).toMatchObject({ taken: [{}] })
  })

  test('an event whose single statement fails is stored with several statements, and the failure is reported', async () => {
    await store.database.$executeRaw`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no leases' USING ERRCODE = 'check_violation'; END $$`
    await store.database.$executeRaw`
      CREATE TRIGGER refuse BEFORE UPDATE ON webhooks FOR EACH STATEMENT EXECUTE FUNCTION refuse()`
    const problems: unknown[] = []
    const serving = { free: () => worker, serve: () => expect.unreachable() }
    const options = { worker: serving, onProblem: (error: unknown) => void problems.push(error) }
    expect(await recordEvents(store.database, [batch(1, text('i1'))], world.now, options)).toMatchObject([
      { value: { result: { kind: 'stored', mark: 1 }, enqueued: 1 } },
    ])
    expect(problems).toMatchObject([{ code: '23514' }])
    await store.database.$executeRaw`DROP FUNCTION refuse CASCADE`
    expect(await stored()).toMatchObject({ inbox: { length: 1 }, deliveries: { length: 1 } })
  })
})

describe('a webhook that changes at the same moment', () => {
  test('is not called if it is deleted, and the message is stored', async () => {
    const key = await webhook('w1')
    await webhook('w2')
    const { storing } = await store.database.$transaction(async (statements) => {
      await statements.webhook.delete({ where: { key } })
      const storing = storeOne(sole(1, text('i1')), worker)
      await Promise.race([storing, someoneWaits(store.database)])
      return { storing }
    })
    expect(await storing).toMatchObject({ taken: [{ receiver: { id: 'w2' } }] })
    expect(await stored()).toMatchObject({ inbox: { length: 1 }, deliveries: { length: 1 }, journals: [{ mark: 1n }] })
  })

  test('is not called if its events change, or if it is disabled', async () => {
    const key = await webhook('w1')
    const { storing } = await store.database.$transaction(async (statements) => {
      await statements.$executeRaw`SELECT FROM webhooks WHERE key = ${key} FOR UPDATE`
      const storing = storeOne(sole(1, text('i1')), worker)
      await Promise.race([storing, someoneWaits(store.database)])
      await statements.webhook.update({ where: { key }, data: { event: 'sms:sent', events: ['sms:sent'] } })
      return { storing }
    })
    expect(await storing).toEqual({ enqueued: 0, taken: [] })
    const data = { event: 'sms:received', events: ['sms:received'], disabledAt: world.now }
    await store.database.webhook.updateMany({ data })
    expect(await storeOne(sole(2, text('i2')), worker)).toEqual({ enqueued: 0, taken: [] })
    expect(await stored()).toMatchObject({ deliveries: [{ state: 'dropped' }] })
  })

  test('cannot be deleted before the deliveries are stored', async () => {
    const key = await webhook('w1')
    const { deleting } = await store.database.$transaction(async (statements) => {
      await storeSoleReceived(statements, sole(1, text('i1')), world.now, worker)
      const deleting = store.database.webhook.delete({ where: { key } })
      await Promise.race([deleting, someoneWaits(store.database)])
      return { deleting }
    })
    await deleting
    expect(await stored()).toMatchObject({ inbox: { length: 1 }, deliveries: [] })
  })
})

describe('the receiver of a stored message', () => {
  test('is taken together with its delivery', async () => {
    const key = await webhook('w1')
    const result = await storeOne(sole(1, text('i1')), worker)
    const [delivery] = await store.database.webhookDelivery.findMany()
    expect(result).toEqual({
      enqueued: 0,
      taken: [
        {
          receiver: {
            ...{ key, id: 'w1', accountId: 'account', url: 'https://a.example', format: null, secretSealed: 'sealed' },
            ...{ previousSecretSealed: null, signingKeySealed: null, retries: null, pauses: 0, hasFailures: false },
          },
          delivery: {
            ...{ key: delivery?.key, webhookKey: key, id: delivery?.id, deviceId: 'device', event: 'sms:received' },
            ...{ payload: delivery?.payload, attempts: 0, ageSeconds: 0, version: 0 },
          },
        },
      ],
    })
    expect(await store.database.webhook.findMany()).toMatchObject([{ servedBy: 7, servedUntil: expect.any(Date) }])
  })

  const past = new Date('2026-01-01T00:00:00Z')
  const future = new Date('2099-01-01T00:00:00Z')
  test.each([
    ['a worker serves it', { servedBy: 8, servedUntil: future }],
    ['this worker serves it', { servedBy: 7, servedUntil: future }],
    ['a killed worker has left it', { servedBy: 8, servedUntil: past }],
    ['a user has paused it', { heldSince: past }],
    ['it is paused after failures', { pausedUntil: future }],
  ])('is not taken if %s', async (_, change) => {
    await webhook('w1', change)
    const before = await store.database.webhook.findMany()
    expect(await storeOne(sole(1, text('i1')), worker)).toEqual({ enqueued: 1, taken: [] })
    expect(await store.database.webhook.findMany()).toEqual(before)
  })

  test('is not taken without a worker, beyond the limit, or if the worker still serves it', async () => {
    const keys = [await webhook('w1'), await webhook('w2')]
    expect(await storeOne(sole(1, text('i1')))).toEqual({ enqueued: 2, taken: [] })
    await store.database.webhookDelivery.deleteMany()
    expect(await storeOne(sole(2, text('i2')), { ...worker, limit: 1 })).toMatchObject({
      enqueued: 1,
      taken: [{ receiver: { key: keys[0] } }],
    })
    await store.database.webhookDelivery.deleteMany()
    await store.database.webhook.updateMany({ data: { servedBy: null, servedUntil: null } })
    expect(await storeOne(sole(3, text('i3')), { ...worker, busy: [keys[0] ?? 0n] })).toMatchObject({
      enqueued: 1,
      taken: [{ receiver: { key: keys[1] } }],
    })
  })

  test('is not taken if another delivery is due, which has to be sent first', async () => {
    await webhook('w1')
    await storeOne(sole(1, text('i1')))
    expect(await storeOne(sole(2, text('i2')), worker)).toEqual({ enqueued: 1, taken: [] })
    // A delivery that waits for a retry is not due.
    await store.database.webhookDelivery.updateMany({ data: { nextAttemptAt: future } })
    expect(await storeOne(sole(3, text('i3')), worker)).toMatchObject({ enqueued: 0, taken: [{}] })
  })

  test('is not taken, and not waited for, while another transaction changes it', async () => {
    const key = await webhook('w1')
    await store.database.$transaction(async (statements) => {
      await statements.$executeRaw`UPDATE webhooks SET served_by = 8 WHERE key = ${key}`
      expect(await storeOne(sole(1, text('i1')), worker)).toEqual({ enqueued: 1, taken: [] })
    })
  })
})
