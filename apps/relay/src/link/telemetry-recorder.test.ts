import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { someoneWaits } from '../testing/someone-waits.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { TelemetryRecorder } from './telemetry-recorder.ts'
import { type DispatchWorld, dispatchWorld } from './testing/dispatch-world.ts'

const store = useTestDatabase()
let world: DispatchWorld
let warnings: string[]
let recorder: TelemetryRecorder

const clock = { now: () => new Date() }
const log = { warn: (_: object, message: string) => warnings.push(message) }

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  warnings = []
  recorder = new TelemetryRecorder({ database: store.database, clock, log })
})

afterEach(() => recorder.stop())

/** Connects this many devices. */
async function connections(count: number) {
  const opened = []
  for (let number = 0; number < count; number += 1) {
    await world.device(`device ${number}`)
    opened.push((await world.connect({ deviceId: `device ${number}` })).connection)
  }
  return opened
}

/** Returns the telemetry of all devices, oldest first, and the number of transactions that stored it. */
async function stored() {
  return await store.database.$queryRaw<{ deviceId: string; signal: number; transaction: string }[]>`
    SELECT device_id AS "deviceId", (sample->'signal')::int AS signal, xmin::text AS transaction
    FROM telemetry ORDER BY key`
}

const untilStored = (count: number) => vi.waitUntil(async () => (await stored()).length >= count, { timeout: 90_000 })

test('stores samples of many agents that arrive while a sample is stored in one commit, a second later', async () => {
  const all = await connections(20)
  const timers = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => timers.mockRestore())
  await store.database.$transaction(async (statements) => {
    await statements.$executeRaw`LOCK TABLE telemetry`
    recorder.add(all[0] as never, { signal: 0 })
    await someoneWaits(store.database)
    for (const [signal, connection] of all.entries()) recorder.add(connection, { signal })
  })
  await untilStored(21)
  expect(timers.mock.calls.map(([, ms]) => ms)).toContain(1_000)
  const transactions = (await stored()).map(({ transaction }) => transaction)
  expect(new Set(transactions).size).toBe(2)
})

test('stores the first sample after a pause at once', async () => {
  const [connection] = await connections(1)
  const timers = vi.spyOn(globalThis, 'setTimeout')
  recorder.add(connection as never, { signal: 1 })
  expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([0])
  timers.mockRestore()
  await untilStored(1)
})

test('stores the sample of a locked device as soon as the lock ends', async () => {
  const [free, locked] = await connections(2)
  await store.database.$transaction(async (statements) => {
    await statements.$queryRaw`SELECT FROM devices WHERE id = 'device 1' FOR SHARE`
    recorder.add(free as never, { signal: 1 })
    recorder.add(locked as never, { signal: 2 })
    await untilStored(1)
  })
  await untilStored(2)
  expect((await stored()).map(({ signal }) => signal)).toEqual([1, 2])
})

test('drops a sample that the database refuses, and stores the others of its group', async () => {
  const all = await connections(3)
  await store.database.$executeRaw`ALTER TABLE telemetry ADD CONSTRAINT refused CHECK (sample->>'signal' <> '1')`
  try {
    for (const [signal, connection] of all.entries()) recorder.add(connection, { signal })
    await untilStored(2)
  } finally {
    await store.database.$executeRaw`ALTER TABLE telemetry DROP CONSTRAINT refused`
  }
  const signals = (await stored()).map(({ signal }) => signal)
  expect(signals.toSorted()).toEqual([0, 2])
  expect(warnings).toEqual(['telemetry dropped because it cannot be stored'])
})

test('keeps the newest sample of each connection while the database is unavailable', async () => {
  const [connection] = await connections(1)
  await store.database.$transaction(async (statements) => {
    await statements.$executeRaw`LOCK TABLE telemetry`
    recorder.add(connection as never, { signal: 1 })
    await someoneWaits(store.database)
    await statements.$queryRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    await vi.waitUntil(() => warnings.length === 1, { timeout: 90_000 })
    recorder.add(connection as never, { signal: 2 })
  })
  await recorder.stop()
  expect((await stored()).map(({ signal }) => signal)).toEqual([2])
  expect(warnings).toEqual(['telemetry not stored: database unavailable, retrying'])
})

test('stores waiting samples when it stops, and drops characters that PostgreSQL cannot store', async () => {
  const [connection] = await connections(1)
  recorder.add(connection as never, { signal: 1, operator: 'Net\u0000' })
  await recorder.stop()
  expect(await store.database.telemetry.findMany()).toMatchObject([{ sample: { signal: 1, operator: 'Net\ufffd' } }])
})

test('drops a sample that is too large', async () => {
  const [connection] = await connections(1)
  recorder.add(connection as never, { text: 'x'.repeat(16_384) })
  await recorder.stop()
  expect(await stored()).toEqual([])
})
