import { beforeEach, expect, test } from 'vitest'
import { deleteOldTelemetry } from '../devices/delete-old-telemetry-statement.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { recordTelemetry } from './record-telemetry-statement.ts'
import { type DispatchWorld, dispatchWorld } from './testing/dispatch-world.ts'

const HOUR = 3600
const DAY = 24 * HOUR

const store = useTestDatabase()
let world: DispatchWorld

beforeEach(async () => {
  world = await dispatchWorld(store.database)
})

const device = (id = 'device') => store.database.device.findUniqueOrThrow({ where: { id } })
const count = () => store.database.telemetry.count()

async function signals(): Promise<unknown[]> {
  const history = await store.database.telemetry.findMany({ orderBy: { at: 'asc' } })
  return history.map(({ sample }) => (sample as { signal?: unknown }).signal)
}

type Opened = Awaited<ReturnType<DispatchWorld['connect']>>
const received = ({ connection }: Opened, signal: number) => ({
  connection,
  receivedAt: world.now,
  json: JSON.stringify({ signal }),
})

test('stores the samples of many devices, and each latest one with its device', async () => {
  await world.device('second')
  const [one, two] = [await world.connect(), await world.connect({ deviceId: 'second' })]
  expect(await recordTelemetry(store.database, [received(one, 1), received(two, 2)])).toEqual([])
  world.pass(30)
  expect(await recordTelemetry(store.database, [received(two, 3)])).toEqual([])
  expect(await device()).toMatchObject({ telemetry: { signal: 1 } })
  expect(await device('second')).toMatchObject({ telemetry: { signal: 3 }, lastSeen: world.now })
  expect(await count()).toBe(3)
})

test('drops samples of an older connection and of a deleted device', async () => {
  await world.device('deleted')
  const [old, deleted] = [await world.connect(), await world.connect({ deviceId: 'deleted' })]
  await world.connect({ relayId: 'elsewhere' })
  await store.database.device.update({ where: { id: 'deleted' }, data: { deletedAt: world.now } })
  expect(await recordTelemetry(store.database, [received(old, 1), received(deleted, 2)])).toEqual([])
  expect((await device()).telemetry).toBeNull()
  expect(await count()).toBe(0)
})

test('does not wait for a locked device, and returns the sample of this device', async () => {
  await world.device('second')
  const [one, two] = [await world.connect(), await world.connect({ deviceId: 'second' })]
  const samples = [received(one, 1), received(two, 2)]
  await store.database.$transaction(async (statements) => {
    await statements.$queryRaw`SELECT FROM devices WHERE id = 'device' FOR SHARE`
    expect(await recordTelemetry(store.database, samples)).toEqual(samples.slice(0, 1))
  })
  expect(await signals()).toEqual([2])
})

test('the time of the last contact never decreases', async () => {
  const opened = await world.connect()
  const early = received(opened, 1)
  world.pass(5)
  await recordTelemetry(store.database, [received(opened, 2)])
  await recordTelemetry(store.database, [early])
  expect((await device()).lastSeen).toEqual(world.now)
})

test('keeps every sample for an hour, then one sample a minute for a day, then one sample an hour for 30 days', async () => {
  const opened = await world.connect()
  for (let minute = 0; minute < 3 * 60; minute += 1)
    for (const second of [5, 25, 45]) {
      const receivedAt = new Date(world.now.getTime() + (minute * 60 + second) * 1000)
      const json = JSON.stringify({ signal: minute * 100 + second })
      await recordTelemetry(store.database, [{ connection: opened.connection, receivedAt, json }])
    }
  const forget = () => deleteOldTelemetry(store.database, world.now)
  world.pass(HOUR)
  await forget()
  expect(await count()).toBe(540)
  world.pass(2 * HOUR)
  await forget()
  const afterTwoHours = await signals()
  expect(afterTwoHours.slice(0, 3)).toEqual([5, 105, 205])
  expect(afterTwoHours.slice(-4)).toEqual([17_845, 17_905, 17_925, 17_945])
  expect(afterTwoHours).toHaveLength(120 + 180)
  world.pass(DAY)
  await forget()
  expect(await signals()).toEqual([5, 6_005, 12_005])
  world.pass(29 * DAY)
  await forget()
  expect(await signals()).toEqual([])
})

test('keeps samples of older releases for a week', async () => {
  await store.database.telemetry.create({ data: { deviceId: 'device', at: world.now, sample: {} } })
  world.pass(7 * DAY)
  await deleteOldTelemetry(store.database, world.now)
  expect(await count()).toBe(1)
  world.pass(1)
  await deleteOldTelemetry(store.database, world.now)
  expect(await count()).toBe(0)
})
