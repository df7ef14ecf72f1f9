import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type DispatchWorld, dispatchWorld } from '../agents/testing/dispatch-world.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { someoneWaits } from '../testing/someone-waits.ts'
import { type TestDatabase, testDatabase } from '../testing/test-database.ts'
import { advanceMessages } from './advance-messages.ts'
import { cancelMessage } from './cancel-message.ts'
import { callEndpoint } from './testing/call-endpoint.ts'

let db: TestDatabase
let world: DispatchWorld
let cancel: Endpoint
const woken: string[] = []

beforeAll(async () => {
  db = await testDatabase()
})

afterAll(() => db.close())

beforeEach(async () => {
  await db.database.account.deleteMany()
  world = await dispatchWorld(db.database)
  await world.webhook('sms:cancelled')
  woken.length = 0
  cancel = cancelMessage({
    database: db.database,
    clock: { now: () => world.now },
    hints: { wake: (deviceIds) => void woken.push(...deviceIds) },
    outbox: { wake: () => void woken.push('outbox') },
  })
})

const stop = (id: string, accountId = 'account') => callEndpoint(cancel, { id, accountId })

async function told(cmdId: string, kind: 'processed' | 'sent' | 'cancelled'): Promise<void> {
  const news = [{ accountId: 'account', cmdId, input: { kind, at: world.now } }]
  await db.database.$transaction((statements) => advanceMessages(statements, news, world.now))
}

test('ends at once what no device has been given', async () => {
  await world.message('m', { numbers: 2 })
  const { status, body } = await stop('m')
  expect(status).toBe(200)
  expect(body).toMatchObject({ state: 'Cancelled', recipients: [{ state: 'Cancelled' }, { state: 'Cancelled' }] })
  expect(body['states']).toEqual({ Pending: world.now.toISOString(), Cancelled: world.now.toISOString() })
  expect(await world.outbox()).toEqual(['sms:cancelled m', 'sms:cancelled m'])
  expect(woken).toEqual(['outbox'])
})

test('asks the device that has it, and answers where it stands when it is asked for again', async () => {
  await world.message('m', { journal: 'journal' })
  await told('m/0', 'processed')
  expect((await stop('m')).body).toMatchObject({ state: 'Cancelling' })
  expect(woken).toEqual(['device', 'outbox'])
  expect((await world.recipient('m/0')).cancelRequestedAt).toEqual(world.now)
  world.pass(5)
  expect(await stop('m')).toMatchObject({ status: 200, body: { state: 'Cancelling' } })
  await told('m/0', 'cancelled')
  expect(await stop('m')).toMatchObject({ status: 200, body: { state: 'Cancelled' } })
  expect(await world.outbox()).toEqual(['sms:cancelled m'])
})

test('says that nothing is left to stop', async () => {
  await world.message('m', { journal: 'journal' })
  await told('m/0', 'sent')
  expect(await stop('m')).toMatchObject({ status: 409, body: { message: expect.stringContaining('Sent') } })
  expect((await world.recipient('m/0')).state).toBe('Sent')
})

test('stops the numbers that can still be stopped', async () => {
  await world.message('m', { journal: 'journal', numbers: 2 })
  await told('m/0', 'sent')
  const { body } = await stop('m')
  expect(body['recipients']).toMatchObject([{ state: 'Sent' }, { state: 'Cancelling' }])
})

test('knows nothing of a message of another account', async () => {
  await world.account('other')
  await world.message('m')
  expect((await stop('m', 'other')).status).toBe(404)
  expect((await stop('unknown')).status).toBe(404)
  expect((await world.recipient('m/0')).state).toBe('Pending')
})

test('does not overlook a dispatch that is under way', async () => {
  await world.message('m')
  const given = Promise.withResolvers<void>()
  const dispatch = db.database.$transaction(async (statements) => {
    await statements.recipient.update({ where: { cmdId: 'm/0' }, data: { dispatchedJournal: 'journal' } })
    given.resolve()
    await someoneWaits(db.database)
  })
  await given.promise
  const { body } = await stop('m')
  await dispatch
  expect(body).toMatchObject({ state: 'Cancelling' })
})
