import { beforeEach, expect, test } from 'vitest'
import { useTestDatabase } from '../testing/test-database.ts'
import { recordTelemetry } from './record-telemetry-statement.ts'
import { type DispatchWorld, dispatchWorld } from './testing/dispatch-world.ts'

const store = useTestDatabase()
let world: DispatchWorld

beforeEach(async () => {
  world = await dispatchWorld(store.database)
})

const device = () => store.database.device.findUniqueOrThrow({ where: { id: 'device' } })

test('stores the latest sample with the device and keeps the samples of the last hour', async () => {
  const { connection } = await world.connect()
  const record = (sample: object) =>
    recordTelemetry(store.database, connection, { ...sample }, { now: world.now, historyMs: 3_600_000 })
  await record({ signal: 10 })
  world.pass(1800)
  await record({ signal: 20, operator: 'Net\u0000' })
  world.pass(1801)
  await record({ signal: 30 })
  expect(await device()).toMatchObject({ telemetry: { signal: 30 }, lastSeen: world.now })
  const history = await store.database.telemetry.findMany({ orderBy: { at: 'asc' } })
  expect(history.map(({ sample }) => sample)).toEqual([{ signal: 20, operator: 'Net\ufffd' }, { signal: 30 }])
})

test('drops samples of an older connection', async () => {
  const { connection } = await world.connect()
  await world.connect({ relayId: 'elsewhere' })
  await recordTelemetry(store.database, connection, { signal: 1 }, { now: world.now, historyMs: 1000 })
  expect((await device()).telemetry).toBeNull()
  expect(await store.database.telemetry.count()).toBe(0)
})
