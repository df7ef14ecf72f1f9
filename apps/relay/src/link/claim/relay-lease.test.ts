import { Client } from 'pg'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { newHistory } from '../../backup/new-history.ts'
import { readRosters } from '../../messages/accept/read-rosters-statement.ts'
import { notifyOffline } from '../../push/notify-offline-statement.ts'
import { systemRandom } from '../../random.ts'
import { correctStoredTimes } from '../../store/clock/correct-stored-times-statement.ts'
import { checkInstallation } from '../../store/installation.ts'
import { secretBox } from '../../store/secret-box.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { testRelay } from '../../testing/test-relay.ts'
import { readDeviceReports } from '../../waiting/read-device-reports-statement.ts'
import { PRESENCE_CLASS } from '../../webhooks/delivery/worker-presence.ts'
import { type DispatchWorld, dispatchWorld } from '../testing/dispatch-world.ts'
import { ScriptedAgent } from '../testing/scripted-agent.ts'
import { withRelayLeases } from './device-leases.ts'
import { endOldRelayLeases, endRelayLease } from './end-relay-leases-statement.ts'
import { findEndedConnections } from './find-ended-connections-statement.ts'
import { findOldRelays } from './find-old-relays-statement.ts'
import { findUnconnectedDevices } from './find-unconnected-devices-statement.ts'
import { isLeased, LEASE_MS } from './lease.ts'
import { loseSilentDevices } from './lose-messages.ts'
import { renewRelayLease } from './renew-relay-lease-statement.ts'

const store = useTestDatabase()
let world: DispatchWorld

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  await store.database.relay.deleteMany()
})

const HOUR = 3_600

const renew = (worker?: number) =>
  renewRelayLease(store.database, { relayId: 'relay', worker, leaseMs: LEASE_MS, now: world.now })
const device = () => store.database.device.findUniqueOrThrow({ where: { id: 'device' } })
const later = (seconds: number) => new Date(world.now.getTime() + seconds * 1000)

/**
 * Returns whether the device is online and when it was last seen, in the form in which each reader of leases sees it.
 */
async function seenByReaders() {
  const [roster] = (await readRosters(store.database, ['account'], 10)).get('account') ?? []
  const [report] = await readDeviceReports(store.database, 'account', ['device'])
  const [shown] = await withRelayLeases(store.database, [await device()])
  const leases = [roster?.leaseUntil, report?.leaseUntil, shown?.leaseUntil]
  const isOnline = new Set(leases.map((until) => isLeased(until ?? null, world.now)))
  expect(isOnline.size).toBe(1)
  expect(roster?.lastSeen).toEqual(shown?.lastSeen)
  return { isOnline: isOnline.has(true), lastSeen: shown?.lastSeen }
}

describe('the lease of a relay', () => {
  test('the lease of a relay keeps its devices online without a write to their rows', async () => {
    await world.connect()
    const row = await device()
    await renew()
    for (let count = 0; count < 10; count += 1) {
      world.pass(50)
      await renew()
    }
    expect(await seenByReaders()).toEqual({ isOnline: true, lastSeen: world.now })
    expect(await device()).toEqual(row)
  })

  test('the lease of a relay expires when the relay was killed, and its devices were last seen at the last renewal', async () => {
    await world.connect()
    world.pass(100)
    await renew()
    const renewedAt = world.now
    world.pass(60)
    expect(await seenByReaders()).toEqual({ isOnline: false, lastSeen: renewedAt })
    expect(await endOldRelayLeases(store.database, later(599))).toBe(0)
    expect(await endOldRelayLeases(store.database, later(601))).toBe(1)
    expect(await device()).toMatchObject({ relayId: null, leaseUntil: null, lastSeen: renewedAt })
    expect(await store.database.relay.count()).toBe(0)
  })

  test('the lease of a relay ends with the relay, and does not affect devices that are connected to another relay', async () => {
    await world.device('elsewhere')
    await world.connect()
    await world.connect({ deviceId: 'elsewhere', relayId: 'other' })
    await renew()
    await endRelayLease(store.database, 'relay')
    expect(await seenByReaders()).toMatchObject({ isOnline: false })
    const elsewhere = await store.database.device.findUniqueOrThrow({ where: { id: 'elsewhere' } })
    expect(elsewhere).toMatchObject({ relayId: 'other', leaseUntil: later(60) })
  })

  test('the lease of a relay is reported as new after it was ended, so that the relay attaches its devices again', async () => {
    expect(await renew()).toMatchObject({ isNew: true })
    expect(await renew()).toMatchObject({ isNew: false })
    await endRelayLease(store.database, 'relay')
    expect(await renew()).toMatchObject({ isNew: true })
  })

  test('the lease of a relay is valid again after the next renewal when the clock was set back', async () => {
    await world.connect()
    await renew()
    world.pass(-HOUR)
    expect(await seenByReaders()).toMatchObject({ isOnline: false })
    await renew()
    expect(await seenByReaders()).toMatchObject({ isOnline: true })
    await store.database.installation.create({ data: { streamId: 'stream', secretCheck: '' } })
    const future = new Date(Date.now() + HOUR * 1000)
    await store.database.relay.updateMany({ data: { renewedAt: future } })
    await correctStoredTimes(store.database, HOUR * 1000)
    expect((await store.database.relay.findFirstOrThrow()).renewedAt.getTime()).toBeLessThan(future.getTime())
  })

  test('the lease of a relay decides when messages of silent devices are lost and when browsers are notified', async () => {
    await world.message('m')
    await world.connect()
    world.pass(10 * HOUR)
    await renew()
    const limits = { silenceMs: HOUR * 1000, afterExpiryMs: HOUR * 1000 }
    expect(await loseSilentDevices(store.database, limits, world.now)).toBe(0)
    const subscription = { p256dh: '', authSealed: '', showsText: false, language: 'en', createdAt: world.now }
    const endpoint = { endpointHash: '', endpointSealed: '', service: 'push.example' }
    await store.database.pushSubscription.create({
      data: { id: 'browser', accountId: 'account', events: ['device.offline'], ...subscription, ...endpoint },
    })
    expect(await notifyOffline(store.database, world.now)).toBe(0)
    expect(await notifyOffline(store.database, later(181))).toBe(1)
    expect(await loseSilentDevices(store.database, limits, later(HOUR - 1))).toBe(0)
    expect(await loseSilentDevices(store.database, limits, later(HOUR))).toBe(1)
  })
})

test('detects relays of the previous release by the locks of their delivery workers', async () => {
  const old = new Client({ connectionString: store.url })
  await old.connect()
  try {
    expect(await renew()).toMatchObject({ hasOldRelays: false })
    await old.query('SELECT pg_advisory_lock($1, 7)', [PRESENCE_CLASS])
    expect(await renew()).toMatchObject({ hasOldRelays: true })
    expect(await renew(7)).toMatchObject({ hasOldRelays: false })
    await renewRelayLease(store.database, { relayId: 'other', worker: 8, leaseMs: LEASE_MS, now: world.now })
    await old.query('SELECT pg_advisory_lock($1, 8)', [PRESENCE_CLASS])
    expect(await renew(7)).toMatchObject({ hasOldRelays: false })
    expect(await renew(9)).toMatchObject({ hasOldRelays: true })
    expect(await findOldRelays(store.database, { relayId: 'relay', worker: 7 })).toBe(false)
    expect(await findOldRelays(store.database, { relayId: 'relay', worker: 9 })).toBe(true)
  } finally {
    await old.end()
  }
})

test('soon after a relay of the previous release has started, each device has a lease that this relay can read', async () => {
  const { setInterval } = globalThis
  // Stops the regular renewals.
  const intervals = vi
    .spyOn(globalThis, 'setInterval')
    .mockImplementation(((work: () => void, ms: number) =>
      setInterval(ms === LEASE_MS / 3 ? () => undefined : work, ms)) as typeof setInterval)
  const relay = await testRelay()
  intervals.mockRestore()
  const old = new Client({ connectionString: relay.databaseUrl })
  await old.connect()
  const { code } = (await relay.api('POST', '/devices/codes')).json
  const agent = new ScriptedAgent({ url: relay.url, identity: { credential: code } }).start()
  try {
    await agent.online()
    await expect.poll(() => relay.database.relay.count({ where: { worker: { not: null } } })).toBe(1)
    // Simulates that two minutes have passed without an older relay.
    await old.query("UPDATE devices SET lease_until = now() - interval '1 minute'")
    await old.query('SELECT pg_advisory_lock($1, 7)', [PRESENCE_CLASS])
    const isOnline = async () => {
      const read = await old.query('SELECT FROM devices WHERE lease_until > now()')
      return read.rowCount === 1
    }
    await expect.poll(isOnline).toBe(true)
    expect((await relay.api('GET', '/devices')).json).toMatchObject([{ online: true }])
  } finally {
    agent.stop()
    await old.end()
    await relay.close()
  }
})

test('connections of deleted devices and older connections have ended, but the newest connections have not', async () => {
  await world.device('second')
  await world.device('third')
  const old = (await world.connect()).connection
  const newest = (await world.connect({ deviceId: 'second' })).connection
  const deleted = (await world.connect({ deviceId: 'third' })).connection
  await world.connect({ relayId: 'elsewhere' })
  await store.database.device.update({ where: { id: 'third' }, data: { deletedAt: world.now } })
  expect(await findEndedConnections(store.database, [old, newest, deleted])).toEqual([
    { deviceId: 'device', connEpoch: old.connEpoch, isDeleted: false },
    { deviceId: 'third', connEpoch: deleted.connEpoch, isDeleted: true },
  ])
  const stranger = { ...newest, accountId: 'stranger' }
  expect(await findEndedConnections(store.database, [stranger])).toMatchObject([{ isDeleted: true }])
})

test('finds devices that are attached to the relay without a connection, except while one is being opened', async () => {
  for (const id of ['connected', 'opening', 'elsewhere', 'replaced']) await world.device(id)
  const lost = (await world.connect()).connection
  const connected = (await world.connect({ deviceId: 'connected' })).connection
  const older = (await world.connect({ deviceId: 'replaced' })).connection
  const newer = (await world.connect({ deviceId: 'replaced' })).connection
  await world.connect({ deviceId: 'elsewhere', relayId: 'other' })
  world.pass(61)
  await world.connect({ deviceId: 'opening' })
  const relay = { relayId: 'relay', now: world.now }
  const found = await findUnconnectedDevices(store.database, relay, [connected, older])
  const ended = (deviceId: string, connEpoch: number) => ({ accountId: 'account', deviceId, connEpoch })
  expect(found.toSorted((a, b) => a.deviceId.localeCompare(b.deviceId))).toEqual([
    ended('device', lost.connEpoch),
    ended('replaced', newer.connEpoch),
  ])
  const all = await findUnconnectedDevices(store.database, relay, [])
  expect(all.map(({ deviceId }) => deviceId).sort()).toEqual(['connected', 'device', 'replaced'])
})

test('a closed connection that could not be recorded is recorded later, so that its device goes offline', async () => {
  const relay = await testRelay()
  const { code } = (await relay.api('POST', '/devices/codes')).json
  const agent = new ScriptedAgent({ url: relay.url, identity: { credential: code } }).start()
  const isOnline = async () => (await relay.api('GET', '/devices')).json[0].online
  try {
    await agent.online()
    await relay.database.$executeRawUnsafe(`CREATE FUNCTION fail() RETURNS trigger AS $$
      BEGIN RAISE EXCEPTION USING ERRCODE = '55P03'; END $$ LANGUAGE plpgsql`)
    await relay.database.$executeRawUnsafe(`CREATE TRIGGER fail BEFORE UPDATE ON devices
      FOR EACH ROW WHEN (NEW.relay_id IS NULL) EXECUTE FUNCTION fail()`)
    agent.stop()
    await expect.poll(() => relay.logged.join('')).toContain('could not record closed connections')
    expect(await isOnline()).toBe(true)
    await relay.database.$executeRaw`DROP TRIGGER fail ON devices`
    await expect.poll(isOnline).toBe(false)
  } finally {
    agent.stop()
    await relay.close()
  }
})

test('a device whose connection the relay does not know goes offline', async () => {
  const relay = await testRelay()
  const { database } = relay
  try {
    await expect.poll(() => database.relay.count()).toBe(1)
    const { id: relayId } = await database.relay.findFirstOrThrow()
    const id = 'lost'.padEnd(21, '-')
    // Simulates that the answer of the database to the opened connection was lost.
    const attached = { relayId, leaseUntil: new Date(Date.now() - 1_000), connEpoch: 3 }
    await database.device.create({
      data: { id, accountId: relay.account.id, name: 'lost', publicKey: '', ...attached },
    })
    expect((await relay.api('GET', '/devices')).json).toMatchObject([{ online: true }])
    // Ends the relay's connection to the database, because the relay also checks when this connection is restored.
    await database.$executeRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'smsgw hints'`
    const isOnline = async () => (await relay.api('GET', '/devices')).json[0].online
    await expect.poll(isOnline).toBe(false)
    expect(await database.device.findUniqueOrThrow({ where: { id } })).toMatchObject({ relayId: null })
  } finally {
    await relay.close()
  }
})

test('a restored backup has no leases, and keeps when its devices were seen last', async () => {
  const box = secretBox('0123456789abcdefghijklmnopqrstuvwxyz', systemRandom)
  await store.database.installation.deleteMany()
  await checkInstallation(store.database, box, systemRandom)
  await world.connect()
  world.pass(100)
  await renew()
  const client = new Client({ connectionString: store.url })
  await client.connect()
  try {
    await newHistory(client, '0123456789abcdefghijklmnopqrstuvwxyz')
  } finally {
    await client.end()
  }
  expect(await device()).toMatchObject({ relayId: null, leaseUntil: null, lastSeen: world.now })
  expect(await store.database.relay.count()).toBe(0)
})

test('a relay whose lease was ended while it had no database attaches its connected devices again', async () => {
  const relay = await testRelay()
  const { code } = (await relay.api('POST', '/devices/codes')).json
  const agent = new ScriptedAgent({ url: relay.url, identity: { credential: code } }).start()
  const isOnline = async () => (await relay.api('GET', '/devices')).json[0].online
  try {
    await agent.online()
    await expect.poll(() => relay.database.relay.count()).toBe(1)
    // The relay may renew its lease at any time, also between these two statements and right after them.
    await expect
      .poll(async () => {
        await relay.database.relay.updateMany({ data: { leaseUntil: new Date(0) } })
        return await endOldRelayLeases(relay.database, new Date())
      })
      .toBe(1)
    // Ends the relay's connection to the database, because the relay renews its lease when this connection is restored.
    await relay.database.$executeRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'smsgw hints'`
    await expect.poll(isOnline).toBe(true)
  } finally {
    agent.stop()
    await relay.close()
  }
  expect(agent.welcomes).toHaveLength(1)
})
