import { beforeEach, expect, test } from 'vitest'
import { storeSims } from '../../link/claim/store-sims-statement.ts'
import { type DispatchWorld, dispatchWorld } from '../../link/testing/dispatch-world.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { DeviceQueues } from './device-queues.ts'
import { DeviceRoster } from './device-roster.ts'
import { readNamedDevices } from './read-named-devices-statement.ts'

const anyDevice = { deviceId: undefined, simNumber: undefined, capabilities: [], activeWithinHours: 0 }
const onDevice = (deviceId: string) => ({ ...anyDevice, deviceId })
const db = useTestDatabase()
let world: DispatchWorld
let roster: DeviceRoster

beforeEach(async () => {
  await db.database.account.deleteMany()
  world = await dispatchWorld(db.database)
  roster = new DeviceRoster({ database: db.database, clock: { now: () => world.now }, queueLimit: 2 })
})

const reserve = async (recipients = 1, criteria: Parameters<DeviceRoster['reserve']>[1] = anyDevice) => {
  const reserved = await roster.reserve('account', criteria, recipients)
  return reserved.ok ? reserved.reservation : reserved.problem
}

test('counts reserved messages before they are stored, even after the queues are read again', async () => {
  const reserved = await reserve(2)
  world.pass(10)
  expect(await reserve()).toBe('queue-full')
  if (typeof reserved === 'object') reserved.end(false)
  expect(await reserve()).toMatchObject({ deviceId: 'device' })
})

test('counts a stored message only once', async () => {
  const reserved = await reserve()
  await world.message('m')
  if (typeof reserved === 'object') reserved.end(true)
  world.pass(10)
  expect(await reserve()).toMatchObject({ deviceId: 'device' })
  expect(await reserve()).toBe('queue-full')
})

test('sees devices and messages of other processes within two seconds', async () => {
  await reserve()
  await world.message('elsewhere', { numbers: 2 })
  await world.device('new')
  world.pass(2)
  expect(await reserve()).toMatchObject({ deviceId: 'new' })
})

test.each([
  ['a request that names its device, and one that does not', onDevice('device'), anyDevice],
  ['a request that names no device, and one that does', anyDevice, onDevice('device')],
  ['a key that is limited to SIMs', { ...anyDevice, allowedSims: [{ deviceId: 'device' }] }, onDevice('device')],
])('counts one queue for %s', async (_, first, second) => {
  const refused = await reserve(1, first)
  await reserve(1, second)
  expect(await reserve(1, first)).toBe('queue-full')
  expect(await reserve(1, second)).toBe('queue-full')
  if (typeof refused === 'object') refused.end(false)
  expect(await reserve(1, second)).toMatchObject({ deviceId: 'device' })
})

test('reads a named device again before a message is refused', async () => {
  await world.message('waiting', { numbers: 2 })
  expect(await reserve(1, onDevice('device'))).toBe('queue-full')
  await db.database.message.deleteMany()
  expect(await reserve(1, onDevice('device'))).toMatchObject({ deviceId: 'device' })
})

test('does not choose a named device of another account, a deleted device, or a forgotten one', async () => {
  await world.account('other')
  await world.device('foreign', 'other')
  expect(await reserve(1, onDevice('foreign'))).toBe('unknown')
  expect(await readNamedDevices(db.database, [{ accountId: 'account', deviceId: 'foreign' }], 1)).toEqual([])
  expect(await reserve(1, onDevice('none\u0000'))).toBe('unknown')
  await reserve(1, onDevice('device'))
  await db.database.device.updateMany({ where: { id: 'device' }, data: { deletedAt: world.now } })
  roster.forget('account')
  expect(await reserve(1, onDevice('device'))).toBe('unknown')
  expect(await reserve()).toBe('none')
})

test('reads the time at which a device was last seen exactly', async () => {
  const lastSeen = new Date('2039-06-15T14:44:06.002Z')
  await db.database.device.updateMany({ data: { lastSeen } })
  const rows = await readNamedDevices(db.database, [{ accountId: 'account', deviceId: 'device' }], 1)
  expect(rows).toMatchObject([{ lastSeen, leaseUntil: null }])
})

test('refuses a named virtual modem while another device of the account has a real modem', async () => {
  const sim = { simNumber: 1, state: 'ready' as const }
  await world.sims([{ ...sim, isEmulated: true }])
  await world.account('other')
  await world.device('foreign', 'other')
  await storeSims(db.database, 'foreign', [sim], world.now)
  expect(await reserve(1, onDevice('device'))).toMatchObject({ deviceId: 'device' })
  await world.device('real')
  await storeSims(db.database, 'real', [sim], world.now)
  world.pass(2)
  expect(await reserve(1, onDevice('device'))).toBe('emulated')
  expect(await reserve(1, { ...anyDevice, allowedSims: [{ deviceId: 'device' }] })).toBe('emulated')
  await db.database.device.updateMany({ where: { id: 'real' }, data: { deletedAt: world.now } })
  expect(await reserve(1, onDevice('device'))).toMatchObject({ deviceId: 'device' })
})

test('refuses a key that is limited to SIMs of deleted devices', async () => {
  const limited = { ...anyDevice, allowedSims: [{ deviceId: 'deleted' }] }
  expect(await reserve(1, limited)).toBe('sim-not-allowed')
  await db.database.device.deleteMany()
  world.pass(2)
  expect(await reserve(1, limited)).toBe('none')
})

test('a message that is stored during a slow read counts, even if the read began before', () => {
  const queues = new DeviceQueues()
  const read = queues.beginRead()
  const queue = queues.queueOf('device', 0, queues.beginRead(), 0)
  queues.reserve(queue, 2)(true)
  queues.reserve(queue, 1)(false)
  expect(queues.queueOf('device', 0, read, 0).waiting).toBe(2)
  expect(queues.queueOf('device', 2, queues.beginRead(), 0).waiting).toBe(2)
})

test('forgets queues of devices that are no longer used, but no reservation', () => {
  const queues = new DeviceQueues()
  const first = queues.beginRead()
  const [kept, unused] = ['kept', 'unused'].map((id) => queues.queueOf(id, 0, first, 0))
  if (kept) queues.reserve(kept, 1)
  for (let device = 0; device < 2_000; device += 1) queues.queueOf(`device ${device}`, 0, first, 0)
  queues.endRead(first, 100_000)
  const later = queues.beginRead()
  expect(queues.queueOf('kept', 0, later, 100_000)).toBe(kept)
  expect(queues.queueOf('unused', 0, later, 100_000)).not.toBe(unused)
})

test('a reservation counts for all rows of its device, even if its row was kept until the queue was removed', () => {
  const queues = new DeviceQueues()
  const first = queues.beginRead()
  const kept = queues.queueOf('device', 0, first, 0)
  for (let device = 0; device < 2_000; device += 1) queues.queueOf(`device ${device}`, 0, first, 0)
  queues.endRead(first, 100_000)
  queues.reserve(kept, 3)
  expect(queues.queueOf('device', 0, queues.beginRead(), 100_000).waiting).toBe(3)
})
