import { beforeEach, expect, test } from 'vitest'
import { type DispatchWorld, dispatchWorld } from '../../link/testing/dispatch-world.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { DeviceRoster } from './device-roster.ts'

const anyDevice = { deviceId: undefined, simNumber: undefined, capabilities: [], activeWithinHours: 0 }
const db = useTestDatabase()
let world: DispatchWorld
let roster: DeviceRoster

beforeEach(async () => {
  await db.database.account.deleteMany()
  world = await dispatchWorld(db.database)
  roster = new DeviceRoster({ database: db.database, clock: { now: () => world.now }, queueLimit: 2 })
})

const reserve = async (recipients = 1) => {
  const reserved = await roster.reserve('account', anyDevice, recipients)
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
