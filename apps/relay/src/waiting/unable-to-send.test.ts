import { Registry } from 'prom-client'
import { beforeEach, expect, test } from 'vitest'
import { messageMetrics } from '../messages/message-metrics.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { recordWaiting } from './record-waiting-statement.ts'

const shared = useTestDatabase()
const registry = new Registry()

beforeEach(async () => {
  await shared.database.account.deleteMany()
  await shared.database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '' } })
  registry.clear()
  messageMetrics(registry, shared.database)
})

/** Stores a connected device. Its report is from the connection `reported`, which is the newest unless given. */
async function addDevice(name: string, reason?: string, { reported = 1, isOnline = true } = {}): Promise<void> {
  const id = name.padEnd(21, name)
  const leaseUntil = new Date(Date.now() + (isOnline ? 50_000 : -50_000))
  await shared.database.device.create({
    data: { id, accountId: 'a1', name, connEpoch: reported, journalId: 'j1', leaseUntil },
  })
  const connection = { accountId: 'a1', deviceId: id, journalId: 'j1', connEpoch: reported }
  const report = { sims: [], messages: [], ...(reason !== undefined && { anySim: { reason } }) }
  await recordWaiting(shared.database, connection, report, new Date())
}

async function counted(): Promise<Record<string, number>> {
  const text = await registry.metrics()
  return Object.fromEntries(
    [...text.matchAll(/^smsgw_devices_unable_to_send\{reason="(\w+)"\} (\S+)$/gm)].map(([, reason, count]) => [
      reason,
      Number(count),
    ]),
  )
}

const none = { no_network: 0, roaming: 0, modem_missing: 0, sim_locked: 0, modem_busy: 0 }

test('counts the devices that cannot send, by reason', async () => {
  await addDevice('a', 'no_network')
  await addDevice('b', 'no_network')
  await addDevice('c', 'sim_locked')
  await addDevice('d')
  expect(await counted()).toEqual({ ...none, no_network: 2, sim_locked: 1 })
})

test('counts no device that only waits for a time, and none that is offline, deleted or reconnected', async () => {
  await addDevice('a', 'work_hours')
  await addDevice('b', 'no_network', { isOnline: false })
  await addDevice('c', 'no_network')
  await addDevice('d', 'no_network')
  await shared.database.device.updateMany({ where: { name: 'c' }, data: { deletedAt: new Date() } })
  await shared.database.device.updateMany({ where: { name: 'd' }, data: { connEpoch: 2 } })
  expect(await counted()).toEqual(none)
})

test('the count is 0 again after the device can send', async () => {
  await addDevice('a', 'modem_missing')
  expect(await counted()).toEqual({ ...none, modem_missing: 1 })
  const connection = { accountId: 'a1', deviceId: 'a'.repeat(21), journalId: 'j1', connEpoch: 1 }
  await recordWaiting(shared.database, connection, { sims: [], messages: [] }, new Date())
  expect(await counted()).toEqual(none)
})
