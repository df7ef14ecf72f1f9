import type { ReadEvent } from '@smsgw/link/events/event-inbox'
import { beforeEach, expect, test, vi } from 'vitest'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { type DispatchWorld, dispatchWorld } from '../link/testing/dispatch-world.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { EventRecorder } from './event-recorder.ts'

const store = useTestDatabase()
let world: DispatchWorld
let recorder: EventRecorder
let answered: string[]
let wakes: string[]

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  answered = []
  wakes = []
  const hints = { answered: (cmdIds: readonly string[]) => answered.push(...cmdIds) }
  const outbox = { wake: () => void wakes.push('woken') }
  recorder = new EventRecorder({ database: store.database, clock: { now: () => world.now }, hints, outbox })
})

const at = '2026-03-01T12:00:00.000Z'
const ping = { event: { kind: 'pinged', at, health: {} } } as const

async function devices(count: number): Promise<AgentConnection[]> {
  const connections: AgentConnection[] = []
  for (let number = 0; number < count; number += 1) {
    await world.device(`d${number}`)
    connections.push((await world.connect({ deviceId: `d${number}` })).connection)
  }
  return connections
}

async function transactions(): Promise<number> {
  const rows = await store.database.$queryRaw<{ count: bigint }[]>`
    SELECT count(DISTINCT xmin::text) FROM device_journals WHERE mark > 0`
  return Number(rows[0]?.count)
}

test('batches that arrive during a write share a transaction', async () => {
  await world.webhook('system:ping')
  const connections = await devices(20)
  const batches = connections.map((connection) => ({ connection, from: 1, skipped: 0, tag: 't', events: [ping] }))
  const results = await Promise.all(batches.map((batch) => recorder.record(batch)))
  expect(results).toEqual(connections.map(() => ({ kind: 'stored', mark: 1, pauseMs: 0 })))
  expect(await transactions()).toBeLessThanOrEqual(4)
  expect(wakes).toHaveLength(await transactions())
})

test('wakes the outbox only for events that a webhook or a browser receives', async () => {
  const [connection] = (await devices(1)) as [AgentConnection]
  const received = (id: string) =>
    ({
      kind: 'received',
      id,
      type: 'SMS',
      sender: '+447700900123',
      simNumber: 1,
      receivedAt: at,
      text: id,
      parts: 1,
    }) as const
  const record = (from: number, event: ReadEvent) =>
    recorder.record({ connection, from, skipped: 0, tag: 't', events: [event] })
  await record(1, ping)
  await record(2, { event: received('m1') })
  expect(wakes).toEqual([])
  await world.webhook('sms:received')
  await record(3, ping)
  expect(wakes).toEqual([])
  await record(4, { event: received('m2') })
  expect(wakes).toEqual(['woken'])
})

test('a device that often changes a key has to wait, and delays no other device', async () => {
  const [hostile, other] = (await devices(2)) as [AgentConnection, AgentConnection]
  const key = { id: 'k'.repeat(16), key: '' }
  const changed = { event: { kind: 'alias-key-changed', at, key } } as const
  const record = (connection: AgentConnection, from: number, event: ReadEvent) =>
    recorder.record({ connection, from, skipped: 0, tag: 't', events: [event] })
  for (let from = 1; from <= 10; from++) await record(hostile, from, changed)
  const timers = vi.spyOn(globalThis, 'setTimeout')
  try {
    void record(hostile, 11, changed)
    const [delayed] = timers.mock.calls
    clearTimeout(timers.mock.results[0]?.value)
    expect(delayed?.[1]).toBeGreaterThan(1_000)
  } finally {
    timers.mockRestore()
  }
  expect(await record(other, 1, changed)).toMatchObject({ kind: 'stored' })
})

test('only a device that reports all the time has to collect events', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const [busy, other] = (await devices(2)) as [AgentConnection, AgentConnection]
    const pauses: (number | undefined)[] = []
    const record = async (connection: AgentConnection, from: number) => {
      const result = await recorder.record({ connection, from, skipped: 0, tag: 't', events: [ping] })
      return result.kind === 'stored' ? result.pauseMs : undefined
    }
    for (let from = 1; from <= 30; from++) pauses.push(await record(busy, from))
    expect(pauses.slice(0, 20)).toEqual(pauses.slice(0, 20).map(() => 0))
    expect(pauses.slice(20).every((ms) => ms !== undefined && ms > 0 && ms <= 50)).toBe(true)
    expect(await record(other, 1)).toBe(0)
    vi.advanceTimersByTime(10_000)
    expect(await record(busy, 31)).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('rejects a batch that cannot be stored, so that its device can retry', async () => {
  const [connection] = (await devices(1)) as [AgentConnection]
  const batch = { connection, from: 1, skipped: 0, tag: 'with \u0000', events: [ping] }
  await store.database.$executeRawUnsafe(`CREATE FUNCTION disk_full() RETURNS trigger AS $$
    BEGIN RAISE EXCEPTION USING ERRCODE = '53100'; END $$ LANGUAGE plpgsql`)
  await store.database.$executeRawUnsafe(`CREATE TRIGGER disk_full BEFORE UPDATE ON device_journals
    FOR EACH ROW EXECUTE FUNCTION disk_full()`)
  await expect(recorder.record(batch)).rejects.toThrow()
  await store.database.$executeRaw`DROP TRIGGER disk_full ON device_journals`
  expect(await recorder.record(batch)).toMatchObject({ kind: 'stored', mark: 1 })
})

test('notifies waiting requests when the answer to their command is stored', async () => {
  const [connection] = (await devices(1)) as [AgentConnection]
  const command = { kind: 'sweep', cmdId: 's' }
  await store.database.deviceCommand.create({ data: { cmdId: 's', deviceId: 'd0', accountId: 'account', command } })
  await recorder.record({
    connection,
    from: 1,
    skipped: 0,
    tag: 't',
    events: [{ event: { kind: 'swept', cmdId: 's', at } }],
  })
  expect(answered).toEqual(['s'])
})
