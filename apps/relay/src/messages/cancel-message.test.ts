import { beforeEach, expect, test } from 'vitest'
import type { Endpoint } from '../http/endpoint.ts'
import { type DispatchWorld, dispatchWorld } from '../link/testing/dispatch-world.ts'
import { someoneWaits } from '../testing/someone-waits.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { cancelMessage } from './cancel-message.ts'
import { advanceMessages } from './progress/advance-messages.ts'
import { callEndpoint } from './testing/call-endpoint.ts'

const db = useTestDatabase()
let world: DispatchWorld
let cancel: Endpoint
const woken: string[] = []

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

async function reports(cmdId: string, kind: 'processed' | 'sent' | 'cancelled'): Promise<void> {
  const updates = [{ accountId: 'account', cmdId, input: { kind, at: world.now } }]
  await db.database.$transaction((statements) => advanceMessages(statements, updates, world.now))
}

test('cancels an undispatched message without asking the device', async () => {
  await world.message('m', { numbers: 2 })
  const { status, body } = await stop('m')
  expect(status).toBe(200)
  expect(body).toMatchObject({ state: 'Cancelled', recipients: [{ state: 'Cancelled' }, { state: 'Cancelled' }] })
  expect(body['states']).toEqual({ Pending: world.now.toISOString(), Cancelled: world.now.toISOString() })
  expect(await world.outbox()).toEqual(['sms:cancelled m', 'sms:cancelled m'])
  expect(woken).toEqual(['outbox'])
})

test.each<[what: string, requested: number | undefined, used: readonly (number | null)[], shown: number | undefined]>([
  ['the requested SIM', 2, [null, null], 2],
  ['the SIM that sent to all recipients', undefined, [1, 1], 1],
  ['the only SIM that has sent so far', undefined, [1, null], 1],
  ['no SIM if several have sent', undefined, [1, 2], undefined],
  ['no SIM before one is chosen', undefined, [null, null], undefined],
])('answers with %s', async (_, requested, used, shown) => {
  await world.message('m', { numbers: 2, ...(requested !== undefined && { simNumber: requested }) })
  for (const [position, usedSimNumber] of used.entries())
    await db.database.recipient.update({ where: { cmdId: `m/${position}` }, data: { usedSimNumber } })
  expect((await stop('m')).body['simNumber']).toBe(shown)
})

test('requests a cancel from the device of a dispatched message, and answers again with the present state', async () => {
  await world.message('m', { journal: 'journal' })
  await reports('m/0', 'processed')
  expect((await stop('m')).body).toMatchObject({ state: 'Cancelling' })
  expect(woken).toEqual(['device', 'outbox'])
  expect((await world.recipient('m/0')).cancelRequestedAt).toEqual(world.now)
  world.pass(5)
  expect(await stop('m')).toMatchObject({ status: 200, body: { state: 'Cancelling' } })
  await reports('m/0', 'cancelled')
  expect(await stop('m')).toMatchObject({ status: 200, body: { state: 'Cancelled' } })
  expect(await world.outbox()).toEqual(['sms:cancelled m'])
})

test('answers 409 for a message that was sent', async () => {
  await world.message('m', { journal: 'journal' })
  await reports('m/0', 'sent')
  expect(await stop('m')).toMatchObject({ status: 409, body: { message: expect.stringContaining('Sent') } })
  expect((await world.recipient('m/0')).state).toBe('Sent')
})

test('cancels the recipients that can still be cancelled', async () => {
  await world.message('m', { journal: 'journal', numbers: 2 })
  await reports('m/0', 'sent')
  const { body } = await stop('m')
  expect(body['recipients']).toMatchObject([{ state: 'Sent' }, { state: 'Cancelling' }])
})

test('answers 404 for a message of another account', async () => {
  await world.account('other')
  await world.message('m')
  expect((await stop('m', 'other')).status).toBe(404)
  expect((await stop('unknown')).status).toBe(404)
  expect((await world.recipient('m/0')).state).toBe('Pending')
})

test('waits for a running dispatch and sees its result', async () => {
  await world.message('m')
  const dispatched = Promise.withResolvers<void>()
  const dispatch = db.database.$transaction(async (statements) => {
    await statements.recipient.update({ where: { cmdId: 'm/0' }, data: { dispatchedJournal: 'journal' } })
    dispatched.resolve()
    await someoneWaits(db.database)
  })
  await dispatched.promise
  const { body } = await stop('m')
  await dispatch
  expect(body).toMatchObject({ state: 'Cancelling' })
})
