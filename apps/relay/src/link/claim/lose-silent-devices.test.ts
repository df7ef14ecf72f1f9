import { beforeEach, describe, expect, test } from 'vitest'
import { someoneWaits } from '../../testing/someone-waits.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { claimCommands } from '../dispatch/claim-commands-statement.ts'
import { type DispatchWorld, dispatchWorld } from '../testing/dispatch-world.ts'
import { closeConnections } from './close-connections-statement.ts'
import { loseSilentDevices } from './lose-messages.ts'
import { renewLeases } from './renew-leases-statement.ts'

const store = useTestDatabase()
let world: DispatchWorld

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  await world.webhook('sms:failed')
})

const hour = 3600
const day = 24 * hour
const limits = { afterExpiryMs: day * 1000, silenceMs: 7 * day * 1000 }
const plenty = { sends: 100, urgentSends: 100, others: 100 }

const lose = () => loseSilentDevices(store.database, limits, world.now)

async function silentWith(...ids: string[]): Promise<void> {
  for (const id of ids) await world.message(id)
  const { connection } = await world.connect()
  await claimCommands(store.database, connection, plenty, world.now)
  await closeConnections(store.database, [connection], world.now)
}

describe('a device that is silent beyond the limit', () => {
  test('a device that is silent beyond the limit loses dispatched messages with device_lost and a webhook event, and gets a cancel when it returns', async () => {
    await silentWith('m')
    world.pass(7 * day - 1)
    expect(await lose()).toBe(0)
    world.pass(1)
    expect(await lose()).toBe(1)
    expect(await world.recipient('m/0')).toMatchObject({
      state: 'Failed',
      error: 'device_lost',
      errorCode: 'device_lost',
      cancelRequestedAt: world.now,
    })
    expect(await world.messageState('m')).toBe('Failed')
    expect(await world.outbox()).toEqual(['sms:failed m'])
    expect(await lose()).toBe(0)
    const { connection } = await world.connect()
    expect(await claimCommands(store.database, connection, plenty, world.now)).toEqual([
      { kind: 'cancel', cmdId: 'm/0' },
    ])
  })

  test('a device that is silent beyond the limit also loses messages that were never dispatched, once they have been due for longer than the limit', async () => {
    await world.message('never fetched')
    await world.message('scheduled', { scheduleAt: new Date(world.now.getTime() + 3 * day * 1000) })
    world.pass(7 * day)
    expect(await lose()).toBe(1)
    expect(await world.messageState('scheduled')).toBe('Pending')
    world.pass(3 * day)
    expect(await lose()).toBe(1)
    expect((await world.recipient('scheduled/0')).cancelRequestedAt).toBeNull()
  })

  test('a device that is silent beyond the limit loses expired messages a day after their deadline, or later if the device was seen after the deadline', async () => {
    const validUntil = new Date(world.now.getTime() + 2 * hour * 1000)
    await world.message('m', { validUntil, journal: 'journal' })
    await closeConnections(store.database, [(await world.connect()).connection], world.now)
    world.pass(day + 2 * hour - 1)
    expect(await lose()).toBe(0)
    const { connection } = await world.connect()
    await closeConnections(store.database, [connection], world.pass(1))
    expect(await lose()).toBe(0)
    world.pass(day)
    expect(await lose()).toBe(1)
  })

  test('a device that is silent beyond the limit does not lose messages while it is connected, with any limit and any duration of its sends', async () => {
    await silentWith('m')
    const { connection } = await world.connect()
    world.pass(30)
    const short = { afterExpiryMs: 1000, silenceMs: 1000 }
    expect(await loseSilentDevices(store.database, short, world.now)).toBe(0)
    world.pass(30 * day)
    await renewLeases(store.database, [connection], { leaseMs: 60_000, now: world.now })
    expect(await lose()).toBe(0)
  })

  test('a device that is silent beyond the limit loses any number of messages, except finished messages', async () => {
    await world.device('other')
    await silentWith('a', 'b')
    await store.database.recipient.update({ where: { cmdId: 'b/0' }, data: { state: 'Sent' } })
    await store.database.message.createMany({
      data: Array.from({ length: 600 }, (_, key) => ({
        key: 10_000 + key,
        id: `many ${key}`,
        accountId: 'account',
        deviceId: 'other',
        createdAt: world.now,
      })),
    })
    await store.database.recipient.createMany({
      data: Array.from({ length: 600 }, (_, key) => ({
        cmdId: `many ${key}/0`,
        messageKey: 10_000 + key,
        accountId: 'account',
        deviceId: 'other',
        position: 0,
        phoneNumber: '+491',
        dueAt: world.now,
      })),
    })
    world.pass(8 * day)
    expect(await lose()).toBe(601)
    expect((await world.recipient('b/0')).state).toBe('Sent')
  })

  test('a device that is silent beyond the limit gets the cancels even if it returns at the same moment', async () => {
    await silentWith('m')
    world.pass(7 * day)
    const { losing, opening } = await store.database.$transaction(async (statements) => {
      await statements.$queryRaw`SELECT FROM messages FOR NO KEY UPDATE`
      const losing = lose()
      await someoneWaits(store.database)
      const opening = world.connect()
      await Promise.race([opening, someoneWaits(store.database, 2)])
      return { losing, opening }
    })
    expect(await losing).toBe(1)
    const { connection } = await opening
    expect(await claimCommands(store.database, connection, plenty, world.now)).toEqual([
      { kind: 'cancel', cmdId: 'm/0' },
    ])
  })
})
