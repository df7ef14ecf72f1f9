import { beforeEach, expect, test, vi } from 'vitest'
import type { Database } from '../store/database.ts'
import { someoneWaits } from '../testing/someone-waits.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { AdmissionReads } from './admission-reads.ts'
import { type DispatchWorld, dispatchWorld } from './testing/dispatch-world.ts'

const store = useTestDatabase()
let world: DispatchWorld
let reads: AdmissionReads

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  reads = readsOf(2)
})

function readsOf(atOnce: number): AdmissionReads {
  return new AdmissionReads({ database: store.database, clock: { now: () => world.now }, atOnce })
}

const mine = { deviceId: 'device', accountId: 'account' }
const setVersion = (settingsVersion: number) =>
  store.database.account.update({ where: { id: 'account' }, data: { settingsVersion } })

test('reads keys, settings and waiting commands', async () => {
  await world.device('deleted')
  await store.database.device.update({ where: { id: 'deleted' }, data: { deletedAt: world.now, publicKey: null } })
  expect(await reads.deviceKey('device')).toEqual({ accountId: 'account', publicKey: 'device', isDeleted: false })
  expect(await reads.deviceKey('deleted')).toEqual({ accountId: 'account', publicKey: null, isDeleted: true })
  expect(await reads.deviceKey('nobody')).toBeUndefined()
  expect((await reads.settings('account')).settings.ping).toBeDefined()
  await expect(reads.settings('nobody')).rejects.toThrow('account nobody does not exist')
  expect(await reads.mayHaveCommands(mine)).toBe(false)
  await world.message('m')
  expect(await reads.mayHaveCommands(mine)).toBe(true)
})

test('agents that ask at the same time share a read, and each gets its own result', async () => {
  const ids = Array.from({ length: 100 }, (_, number) => `device ${number}`)
  for (const id of ids.slice(0, 50)) await world.device(id)
  await world.message('m', { deviceId: 'device 7' })
  const asked = ids.map(async (deviceId) => [
    (await reads.deviceKey(deviceId))?.publicKey,
    await reads.mayHaveCommands({ deviceId, accountId: 'account' }),
  ])
  const [one, other] = [reads.settings('account'), reads.settings('account')]
  expect(await one).toBe(await other)
  expect(await Promise.all(asked)).toEqual(ids.map((id, at) => [at < 50 ? id : undefined, at === 7]))
})

test('a read begins after it was requested', async () => {
  for (let version = 1; version <= 30; version += 1) {
    // Asks before the change. So a read may be in progress when the settings change, and must not be shared later.
    const earlier = reads.settings('account')
    await setVersion(version)
    expect((await reads.settings('account')).version).toBe(version)
    expect((await earlier).version).toBeGreaterThanOrEqual(version - 1)
  }
})

test.each(['a\u0000b', '\ud800', '{"a","device"}', '"', '\\', "' OR true --"])(
  'the device id %j affects no other agent',
  async (hostile) => {
    const asked = [reads.deviceKey(hostile), reads.deviceKey('device')]
    expect(await Promise.all(asked)).toEqual([undefined, expect.objectContaining({ publicKey: 'device' })])
  },
)

test('an unknown account fails for its own agent only', async () => {
  const [unknown, known] = await Promise.allSettled([reads.settings('nobody'), reads.settings('account')])
  expect([unknown.status, known.status]).toEqual(['rejected', 'fulfilled'])
})

test('one kind of read does not wait for another kind, and a slow read does not delay later reads', async () => {
  const { slow } = await store.database.$transaction(async (statements) => {
    await statements.$executeRaw`LOCK TABLE device_commands IN ACCESS EXCLUSIVE MODE`
    const slow = reads.mayHaveCommands(mine)
    expect((await reads.deviceKey('device'))?.publicKey).toBe('device')
    await someoneWaits(store.database)
    for (const _ of [1, 2]) expect((await reads.deviceKey('device'))?.publicKey).toBe('device')
    return { slow }
  })
  expect(await slow).toBe(false)
})

test('uses no more connections at the same time than allowed', async () => {
  const alone = readsOf(1)
  const { slow, later } = await store.database.$transaction(async (statements) => {
    await statements.$executeRaw`LOCK TABLE device_commands IN ACCESS EXCLUSIVE MODE`
    const slow = alone.mayHaveCommands(mine)
    await someoneWaits(store.database)
    const order: string[] = []
    const later = alone.settings('account').then(() => order.push('later'))
    const other = readsOf(1)
    for (const _ of [1, 2, 3]) await other.settings('account').then(() => order.push('other'))
    expect(order).toEqual(['other', 'other', 'other'])
    return { slow, later }
  })
  await Promise.all([slow, later])
})

test('a failed read fails for those who asked, and the next read works', async () => {
  await store.database.$executeRaw`ALTER TABLE accounts RENAME COLUMN settings_version TO hidden`
  const failing = [reads.settings('account'), reads.settings('account')]
  const key = reads.deviceKey('device')
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect((await key)?.publicKey).toBe('device')
  await store.database.$executeRaw`ALTER TABLE accounts RENAME COLUMN hidden TO settings_version`
  expect((await reads.settings('account')).settings.ping).toBeDefined()
})

test('a read without an answer fails after five seconds, and later reads begin', async () => {
  vi.useFakeTimers()
  try {
    let statements = 0
    const $queryRaw = () => (++statements === 1 ? new Promise(() => undefined) : Promise.resolve([]))
    const database = { $queryRaw } as unknown as Database
    const alone = new AdmissionReads({ database, clock: { now: () => world.now }, atOnce: 1 })
    const [silent] = [Promise.allSettled([alone.deviceKey('device')])]
    await vi.advanceTimersByTimeAsync(6_000)
    expect((await silent)[0]).toMatchObject({ reason: { message: 'the database did not answer within 5 s' } })
    const later = alone.deviceKey('device')
    await vi.advanceTimersByTimeAsync(6_000)
    expect(await later).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})
