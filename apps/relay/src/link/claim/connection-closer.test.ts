import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { useTestDatabase } from '../../testing/test-database.ts'
import { type DispatchWorld, dispatchWorld } from '../testing/dispatch-world.ts'
import type { AgentConnection } from './agent-connection.ts'
import { ConnectionCloser } from './connection-closer.ts'

const store = useTestDatabase()
let world: DispatchWorld
let closer: ConnectionCloser

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  closer = new ConnectionCloser({
    database: store.database,
    clock: { now: () => world.now },
    log: { warn: () => undefined },
  })
})

async function connections(count: number): Promise<AgentConnection[]> {
  const opened = []
  for (let number = 0; number < count; number += 1) {
    await world.device(`device ${number}`)
    opened.push((await world.connect({ deviceId: `device ${number}` })).connection)
  }
  return opened
}

/** Returns the transactions that recorded ended connections. */
async function transactions(): Promise<string[]> {
  const rows = await store.database.$queryRaw<{ xmin: string }[]>`
    SELECT DISTINCT xmin::text FROM devices WHERE relay_id IS NULL AND conn_epoch > 0`
  return rows.map(({ xmin }) => xmin)
}

test('a connection that ends after a pause is recorded at once', async () => {
  const [connection] = await connections(1)
  closer.add(connection as AgentConnection)
  await closer.settled()
  expect(await transactions()).toHaveLength(1)
})

test('connections that end one after the other share two transactions', async () => {
  const all = await connections(20)
  const [first, ...others] = all as [AgentConnection, ...AgentConnection[]]
  // The test ends the pause itself, because on a slow machine it could end too early.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  closer.add(first)
  await expect.poll(transactions).toHaveLength(1)
  for (const connection of others) {
    closer.add(connection)
    await new Promise(setImmediate)
  }
  const { database } = store
  const recorded = () => {
    vi.advanceTimersByTime(250)
    return database.device.count({ where: { relayId: null, connEpoch: { gt: 0 } } })
  }
  await expect.poll(recorded).toBe(20)
  expect(await transactions()).toHaveLength(2)
})

test('a relay that stops records the connections that wait for the end of the pause', async () => {
  const [first, second] = await connections(2)
  closer.add(first as AgentConnection)
  await closer.settled()
  closer.add(second as AgentConnection)
  await closer.settled()
  expect(await store.database.device.count({ where: { relayId: 'relay' } })).toBe(0)
})

test('a device that has moved to another relay meanwhile stays there', async () => {
  const [first, second] = await connections(2)
  closer.add(first as AgentConnection)
  await closer.settled()
  closer.add(second as AgentConnection)
  await world.connect({ deviceId: 'device 1', relayId: 'other' })
  await closer.settled()
  expect(await store.database.device.findUniqueOrThrow({ where: { id: 'device 1' } })).toMatchObject({
    ...{ relayId: 'other', connEpoch: 2n },
  })
})

test('a connection whose write failed is recorded by the next attempt', async () => {
  const [connection] = await connections(1)
  const broken = new ConnectionCloser({
    database: store.database,
    clock: { now: () => (isBroken ? new Date(Number.NaN) : world.now) },
    log: { warn: () => undefined },
  })
  let isBroken = true
  broken.add(connection as AgentConnection)
  await broken.settled()
  expect(await transactions()).toHaveLength(0)
  isBroken = false
  broken.retry()
  await broken.settled()
  expect(await transactions()).toHaveLength(1)
})
