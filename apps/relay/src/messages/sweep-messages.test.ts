import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { storeSims } from '../link/claim/store-sims-statement.ts'
import { claimCommands } from '../link/dispatch/claim-commands-statement.ts'
import { type DispatchWorld, dispatchWorld } from '../link/testing/dispatch-world.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { deleteOldMessages } from './delete-old-messages-statement.ts'
import { endEmulated, expireMessages } from './end-undispatched.ts'
import { hashBatch } from './hash-batch-statement.ts'
import { hashMessages } from './hash-messages.ts'
import { advanceMessages } from './progress/advance-messages.ts'
import { getMessage } from './read-messages.ts'
import { callEndpoint } from './testing/call-endpoint.ts'

const DAY = 86_400
const db = useTestDatabase()
let world: DispatchWorld

beforeEach(async () => {
  await db.database.account.deleteMany()
  world = await dispatchWorld(db.database)
})

const deps = () => ({ database: db.database, clock: { now: () => world.now } })
const at = (seconds: number) => new Date(world.now.getTime() + seconds * 1000)
const read = (id: string) => callEndpoint(getMessage(deps()), { id })

async function finish(id: string): Promise<void> {
  await db.database.message.updateMany({ where: { id }, data: { state: 'Sent', finishedAt: world.now } })
}

describe('a message that was not dispatched before its deadline', () => {
  test('a message that was not dispatched before its deadline fails, and webhooks are notified once', async () => {
    await world.webhook('sms:failed')
    await world.message('m', { validUntil: at(60), numbers: 2 })
    world.pass(59)
    expect(await expireMessages(deps())).toBe(0)
    world.pass(1)
    expect(await expireMessages(deps())).toBe(2)
    expect((await read('m')).body).toMatchObject({
      state: 'Failed',
      recipients: [
        { state: 'Failed', error: 'TTL expired' },
        { state: 'Failed', error: 'TTL expired' },
      ],
      states: { Failed: world.now.toISOString() },
    })
    expect(await expireMessages(deps())).toBe(0)
    expect(await world.outbox()).toEqual(['sms:failed m', 'sms:failed m'])
  })

  test('a message is not failed by the relay at its deadline if it was dispatched or cancelled', async () => {
    await world.message('given', { validUntil: at(60), journal: 'journal' })
    await world.message('cancelled', { validUntil: at(60) })
    await db.database.recipient.updateMany({ where: { cmdId: 'cancelled/0' }, data: { state: 'Cancelled' } })
    await world.message('forever')
    world.pass(DAY)
    expect(await expireMessages(deps())).toBe(0)
  })

  test('a message that was not dispatched before its deadline fails in every account, even if there are more messages than one transaction changes', async () => {
    await world.account('other')
    await world.device('far', 'other')
    for (let index = 0; index < 12; index++) await world.message(`m${index}`, { validUntil: at(1), numbers: 50 })
    await world.message('other', { accountId: 'other', deviceId: 'far', validUntil: at(1) })
    world.pass(2)
    expect(await expireMessages(deps())).toBe(601)
    expect(await db.database.recipient.count({ where: { state: 'Pending' } })).toBe(0)
  })
})

describe('a message that waits for a virtual modem', () => {
  const emulated = { simNumber: 1, state: 'ready', isEmulated: true }
  const real = { simNumber: 1, state: 'absent' }

  test('a message that waits for a virtual modem fails when the account has a real modem, even if it was dispatched; other accounts are not affected', async () => {
    await world.webhook('sms:failed')
    await world.sims([emulated])
    await world.message('waiting', { scheduleAt: at(60) })
    await world.message('dispatched', { journal: 'journal' })
    await world.message('sent', { journal: 'journal' })
    await db.database.recipient.updateMany({ where: { cmdId: 'sent/0' }, data: { state: 'Sent' } })
    await world.device('second')
    await world.account('other')
    await world.device('far', 'other')
    await storeSims(db.database, 'far', [emulated], world.now)
    await world.message('far', { accountId: 'other', deviceId: 'far' })
    expect(await endEmulated(deps())).toBe(0)
    await storeSims(db.database, 'second', [real], world.now)
    expect(await endEmulated(deps())).toBe(2)
    expect((await read('waiting')).body).toMatchObject({
      state: 'Failed',
      recipients: [{ error: 'the message waited for a virtual modem, but the account now has a real modem' }],
    })
    expect(await world.recipient('waiting/0')).toMatchObject({ errorCode: 'emulated_modem' })
    expect(await world.recipient('dispatched/0')).toMatchObject({ state: 'Failed', errorCode: 'emulated_modem' })
    expect((await world.recipient('sent/0')).state).toBe('Sent')
    expect(await world.messageState('far')).toBe('Pending')
    expect((await world.outbox()).toSorted()).toEqual(['sms:failed dispatched', 'sms:failed waiting'])
    expect(await endEmulated(deps())).toBe(0)
  })

  test('a message that waits for a virtual modem is cancelled at the agent that has it, which sends nothing', async () => {
    await world.sims([emulated])
    await world.message('dispatched', { journal: 'journal' })
    await world.device('second')
    await storeSims(db.database, 'second', [real], world.now)
    expect(await endEmulated(deps())).toBe(1)
    const { connection } = await world.connect()
    const room = { sends: 10, urgentSends: 10, others: 10 }
    const commands = await db.database.$transaction((statements) =>
      claimCommands(statements, connection, room, world.now),
    )
    expect(commands).toEqual([{ kind: 'cancel', cmdId: 'dispatched/0' }])
  })

  test('a message that waits for a virtual modem is kept when the device with the real modem is deleted, or when its own device also has a real modem', async () => {
    await world.sims([emulated])
    await world.message('m')
    await world.device('second')
    await storeSims(db.database, 'second', [real], world.now)
    await db.database.device.updateMany({ where: { id: 'second' }, data: { deletedAt: world.now } })
    expect(await endEmulated(deps())).toBe(0)
    await world.sims([emulated, { ...real, simNumber: 2 }])
    expect(await endEmulated(deps())).toBe(0)
  })
})

describe('hashing', () => {
  const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

  test('hashing replaces the content and the numbers of messages that were finished for long enough', async () => {
    await world.message('m', { numbers: 2 })
    await finish('m')
    world.pass(60)
    await world.message('young')
    await finish('young')
    await world.message('open')
    expect(await hashMessages({ ...deps(), hashAfterSeconds: 60 })).toBe(1)
    const { body } = await read('m')
    expect(body).toMatchObject({
      isHashed: true,
      hashedMessage: { hash: sha256('text of m') },
      recipients: [
        { phoneNumber: sha256('+49151123400').slice(0, 16) },
        { phoneNumber: sha256('+49151123401').slice(0, 16) },
      ],
    })
    expect(body).not.toHaveProperty('textMessage')
    expect((await read('young')).body).toMatchObject({ isHashed: false, textMessage: { text: 'text of young' } })
    expect(await hashMessages({ ...deps(), hashAfterSeconds: 60 })).toBe(0)
  })

  test('hashing leaves the number of a later webhook event empty', async () => {
    await world.webhook('sms:delivered')
    await world.message('m')
    await finish('m')
    await db.database.recipient.updateMany({ data: { state: 'Sent' } })
    await hashMessages({ ...deps(), hashAfterSeconds: 0 })
    const updates = { accountId: 'account', cmdId: 'm/0', input: { kind: 'delivered', at: world.now } } as const
    await db.database.$transaction((statements) => advanceMessages(statements, [updates], world.now))
    const { payload } = await db.database.webhookDelivery.findFirstOrThrow()
    expect(payload).toMatchObject({ messageId: 'm', recipient: '', phoneNumber: '' })
  })

  test('hashing removes numbers from delivered webhook events but not from pending ones', async () => {
    for (const event of ['sms:sent', 'sms:delivered', 'sms:failed']) await world.webhook(event)
    await world.message('m', { numbers: 2 })
    await world.message('young')
    const number = async (cmdId: string) =>
      (await db.database.recipient.findFirstOrThrow({ where: { cmdId } })).phoneNumber
    const [first, young] = [await number('m/0'), await number('young/0')]
    for (const cmdId of ['m/0', 'm/1', 'young/0'])
      for (const kind of ['sent', 'delivered'] as const) {
        const updates = { accountId: 'account', cmdId, input: { kind, at: world.now, partsCount: 1 } } as const
        await db.database.$transaction((statements) => advanceMessages(statements, [updates as never], world.now))
      }
    await db.database.webhookDelivery.updateMany({ where: { event: 'sms:sent' }, data: { state: 'delivered' } })
    await db.database.message.update({
      where: { accountId_id: { accountId: 'account', id: 'young' } },
      data: { finishedAt: at(1) },
    })
    await hashMessages({ ...deps(), hashAfterSeconds: 0 })
    const rows = await db.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })
    const of = (event: string, id: string) =>
      rows
        .filter((one) => one.event === event && (one.payload as { messageId: string }).messageId === id)
        .map(({ payload }) => payload)
    const empty = { recipient: '', phoneNumber: '' }
    expect(of('sms:sent', 'm')).toEqual([expect.objectContaining(empty), expect.objectContaining(empty)])
    expect(of('sms:sent', 'young')).toEqual([expect.objectContaining({ recipient: young, phoneNumber: young })])
    expect(of('sms:delivered', 'm')[0]).toMatchObject({ recipient: first, phoneNumber: first })
  })

  test.each(['delivered', 'failed', 'dropped'])(
    'removes the number and the answers of a pending delivery when it is %s',
    async (state) => {
      await world.webhook('sms:sent')
      await world.message('m')
      const updates = { accountId: 'account', cmdId: 'm/0', input: { kind: 'sent', at: world.now } } as const
      await db.database.$transaction((statements) => advanceMessages(statements, [updates], world.now))
      await finish('m')
      const { key: deliveryKey, ...before } = await db.database.webhookDelivery.findFirstOrThrow()
      const answer = { deliveryKey, number: 1, startedAt: world.now, durationMs: 5, status: 503 }
      await db.database.webhookAttempt.create({ data: { ...answer, excerpt: 'busy, +4915112345678' } })
      const rowVersion = () =>
        db.database.$queryRaw<[{ version: string }]>`SELECT xmin::text AS version FROM webhook_deliveries`
      const version = await rowVersion()
      expect(await hashMessages({ ...deps(), hashAfterSeconds: 0 })).toBe(1)
      expect((await db.database.webhookDelivery.findFirstOrThrow()).payload).toEqual(before.payload)
      // The row was not changed, so the result of the attempt that is still running is recorded.
      expect(await rowVersion()).toEqual(version)

      await db.database.webhookDelivery.updateMany({ data: { state } })
      expect(await hashMessages({ ...deps(), hashAfterSeconds: 0 })).toBe(0)
      const after = await db.database.webhookDelivery.findFirstOrThrow({ include: { attemptRows: true } })
      expect(after).toMatchObject({ state, payload: { messageId: 'm', recipient: '', phoneNumber: '' } })
      expect(after.attemptRows).toMatchObject([{ status: 503, excerpt: null }])
      expect(await db.database.webhookDeliveryToClear.count()).toBe(0)
    },
  )

  test('removes numbers from the deliveries of a webhook for several events', async () => {
    await world.webhook('sms:received')
    await db.database.webhook.updateMany({ data: { events: ['sms:received', 'sms:sent', 'sms:delivered'] } })
    await world.message('m')
    for (const kind of ['sent', 'delivered'] as const) {
      const updates = { accountId: 'account', cmdId: 'm/0', input: { kind, at: world.now } } as const
      await db.database.$transaction((statements) => advanceMessages(statements, [updates], world.now))
    }
    await db.database.webhookDelivery.updateMany({ data: { state: 'delivered' } })
    await hashMessages({ ...deps(), hashAfterSeconds: 0 })
    const empty = { recipient: '', phoneNumber: '' }
    const rows = await db.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })
    expect(rows).toMatchObject([
      { event: 'sms:sent', payload: empty },
      { event: 'sms:delivered', payload: empty },
    ])
  })

  test("deletes receivers' answers, which may repeat numbers", async () => {
    await world.webhook('sms:sent')
    await world.message('m')
    const updates = {
      accountId: 'account',
      cmdId: 'm/0',
      input: { kind: 'sent', at: world.now, partsCount: 1 },
    } as const
    await db.database.$transaction((statements) => advanceMessages(statements, [updates as never], world.now))
    const { key: deliveryKey } = await db.database.webhookDelivery.findFirstOrThrow()
    await db.database.webhookDelivery.updateMany({ data: { state: 'delivered' } })
    const answer = { deliveryKey, number: 1, startedAt: world.now, durationMs: 5, status: 200 }
    await db.database.webhookAttempt.create({ data: { ...answer, excerpt: 'stored +4915112345678' } })
    await finish('m')
    await hashMessages({ ...deps(), hashAfterSeconds: 0 })
    expect(await db.database.webhookAttempt.findMany()).toMatchObject([{ status: 200, excerpt: null }])
  })

  test('hashes the octets of data', async () => {
    await world.message('m')
    const data = Uint8Array.of(0, 255, 1)
    await db.database.message.updateMany({ data: { text: null, data, port: 5000 } })
    await finish('m')
    await hashMessages({ ...deps(), hashAfterSeconds: 0 })
    const { body } = await read('m')
    expect(body['hashedMessage']).toEqual({ hash: sha256(data) })
    expect(body).not.toHaveProperty('dataMessage')
  })

  test('hashes any number of messages', async () => {
    for (let index = 0; index < 3; index++) await world.message(`m${index}`)
    const [first] = await db.database.message.findMany()
    const { key, mms, ...row } = first as NonNullable<typeof first>
    await db.database.message.createMany({
      data: Array.from({ length: 1_000 }, (_, index) => ({ ...row, id: `copy ${index}`, finishedAt: world.now })),
    })
    expect(await hashMessages({ ...deps(), hashAfterSeconds: 0 })).toBe(1_000)
  })

  test('hashes attachments of at most 32 MiB in one transaction, and other attachments in the next transactions', async () => {
    const video = { position: 0, contentType: 'video/mp4', size: 20 * 1024 * 1024, octets: Uint8Array.of(1) }
    for (let index = 0; index < 4; index++) {
      await world.message(`m${index}`)
      await finish(`m${index}`)
    }
    const messages = await db.database.message.findMany({ orderBy: { key: 'asc' } })
    for (const { key, id } of messages) {
      const content = id === 'm3' ? {} : { mms: {}, attachments: { create: video } }
      await db.database.message.update({ where: { key }, data: { text: null, ...content } })
    }
    const first = await db.database.$transaction((statements) => hashBatch(statements, world.now, 500))
    expect(new Set(first.map(({ messageKey }) => messageKey))).toEqual(
      new Set(messages.slice(0, 2).map(({ key }) => key)),
    )
    expect(await hashMessages({ ...deps(), hashAfterSeconds: 0 })).toBe(2)
    expect(await db.database.messageAttachment.count()).toBe(0)
    expect(await db.database.message.count({ where: { contentHash: null } })).toBe(0)
  })
})

describe('retention', () => {
  test('deletes messages whose retention time in the account is over', async () => {
    await world.account('brief', { messages: { log_lifetime_days: 2 } })
    await world.device('near', 'brief')
    await world.message('kept')
    await world.message('deleted', { accountId: 'brief', deviceId: 'near' })
    await world.message('open', { accountId: 'brief', deviceId: 'near' })
    for (const id of ['kept', 'deleted']) await finish(id)
    world.pass(2 * DAY)
    expect(await deleteOldMessages(deps())).toBe(0)
    world.pass(1)
    expect(await deleteOldMessages(deps())).toBe(1)
    const left = await db.database.message.findMany({ select: { id: true }, orderBy: { key: 'asc' } })
    expect(left).toEqual([{ id: 'kept' }, { id: 'open' }])
    expect(await db.database.recipient.count({ where: { cmdId: { startsWith: 'deleted' } } })).toBe(0)
  })

  test('keeps messages for 30 days by default', async () => {
    await world.message('m')
    await finish('m')
    world.pass(30 * DAY)
    expect(await deleteOldMessages(deps())).toBe(0)
    world.pass(1)
    expect(await deleteOldMessages(deps())).toBe(1)
  })
})
