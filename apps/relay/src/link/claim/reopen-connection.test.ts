import { beforeEach, describe, expect, test } from 'vitest'
import { recordBatches } from '../../ingest/record-batches.ts'
import { Prisma } from '../../store/generated/client.ts'
import { type RawStatements, withoutPrisma } from '../../store/raw-statements.ts'
import { someoneWaits } from '../../testing/someone-waits.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { type DispatchWorld, dispatchWorld } from '../testing/dispatch-world.ts'
import type { AgentConnection } from './agent-connection.ts'
import type { ArrivingAgent } from './open-connection.ts'
import { reopenConnection } from './reopen-connection-statement.ts'

const store = useTestDatabase()
let world: DispatchWorld
let connection: AgentConnection

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  connection = (await world.connect()).connection
})

function reopen(about: Partial<ArrivingAgent> = {}, statements: RawStatements = store.database) {
  const sims = [{ simNumber: 1, state: 'ready' }]
  const agent = { accountId: 'account', deviceId: 'device', journalId: 'journal', bootId: 'next', sims, ...about }
  const options = { relayId: 'second', leaseMs: 60_000, now: world.now }
  return reopenConnection(statements, { agentVersion: '2.0.0', capabilities: [], ...agent }, options)
}

/** Stores an event of the device in the transaction of these statements. */
const simsChange = (statements: Parameters<typeof recordBatches>[0], simNumber: number) =>
  recordBatches(
    statements,
    [
      {
        connection,
        from: 1,
        skipped: 0,
        tag: 'tag 1',
        events: [
          { event: { kind: 'sims-changed', at: world.now.toISOString(), sims: [{ simNumber, state: 'ready' }] } },
        ],
      },
    ],
    world.now,
  )

/** Statements that wait for a locked row, although the statement skips it. So the row changes after their beginning. */
const waiting: RawStatements = {
  $queryRaw: (({ strings, values }: Prisma.Sql) => {
    const texts = strings.map((text) => text.replaceAll('SKIP LOCKED', ''))
    return withoutPrisma(store.database).$queryRaw(Prisma.sql(texts, ...values))
  }) as RawStatements['$queryRaw'],
  $executeRaw: (() => Promise.reject(new Error('not expected'))) as RawStatements['$executeRaw'],
}

const device = () => store.database.device.findUniqueOrThrow({ where: { id: 'device' } })
const simNumbers = async () => (await store.database.simCard.findMany()).map(({ simNumber }) => simNumber)

test('records the connection and returns the facts about the previous connection', async () => {
  await store.database.deviceJournal.updateMany({ data: { mark: 41, markTag: 'tag' } })
  expect(await reopen({ capabilities: ['public-key'], encryptionKey: { publicKey: 'key', version: 3 } })).toEqual({
    connEpoch: BigInt(connection.connEpoch + 1),
    mark: 41n,
    markTag: 'tag',
    bootId: 'boot',
    relayId: 'relay',
    leaseUntil: new Date('2026-03-01T12:01:00.000Z'),
  })
  const connEpoch = BigInt(connection.connEpoch + 1)
  expect(await device()).toMatchObject({
    ...{ connEpoch, capabilitiesEpoch: connEpoch, relayId: 'second', journalId: 'journal', bootId: 'next' },
    ...{ agentVersion: '2.0.0', capabilities: ['public-key'], encryptionKey: 'key', encryptionKeyVersion: 3 },
    ...{ leaseUntil: new Date('2026-03-01T12:01:00.000Z'), lastSeen: world.now, connectedAt: world.now },
  })
  expect(await simNumbers()).toEqual([1])
})

describe('writes nothing', () => {
  const isUnchanged = async (about: Partial<ArrivingAgent> = {}, statements?: RawStatements) => {
    const before = [
      await device(),
      await store.database.simCard.findMany(),
      await store.database.deviceJournal.findMany(),
    ]
    expect(await reopen(about, statements)).toBeUndefined()
    expect([
      await device(),
      await store.database.simCard.findMany(),
      await store.database.deviceJournal.findMany(),
    ]).toEqual(before)
  }

  test('writes nothing for an unknown journal, an abandoned journal, or another account', async () => {
    await isUnchanged({ journalId: 'unknown' })
    await isUnchanged({ accountId: 'stranger' })
    await world.connect({ journalId: 'newer' })
    await isUnchanged()
  })

  test('writes nothing for a deleted device', async () => {
    await store.database.device.update({ where: { id: 'device' }, data: { deletedAt: world.now } })
    await isUnchanged()
  })

  test('writes nothing while another transaction locks the device', async () => {
    await store.database.$transaction(async (statements) => {
      await statements.$executeRaw`SELECT FROM devices WHERE id = 'device' FOR SHARE`
      await isUnchanged()
    })
    expect(await reopen()).toBeDefined()
  })

  test('writes nothing if an event is stored between its beginning and its locks', async () => {
    const { reopening } = await store.database.$transaction(async (statements) => {
      await simsChange(statements, 7)
      const reopening = reopen({}, waiting)
      await Promise.race([reopening, someoneWaits(store.database)])
      return { reopening }
    })
    expect(await reopening).toBeUndefined()
    expect(await simNumbers()).toEqual([7])
    expect(await device()).toMatchObject({ connEpoch: BigInt(connection.connEpoch), relayId: 'relay' })
  })

  test('writes nothing if a connection is opened between its beginning and its locks', async () => {
    const { reopening } = await store.database.$transaction(async (statements) => {
      await statements.$executeRaw`UPDATE devices SET conn_epoch = conn_epoch + 1, relay_id = 'other' WHERE id = 'device'`
      const reopening = reopen({}, waiting)
      await Promise.race([reopening, someoneWaits(store.database)])
      return { reopening }
    })
    expect(await reopening).toBeUndefined()
    expect(await device()).toMatchObject({ connEpoch: BigInt(connection.connEpoch + 1), relayId: 'other' })
  })

  test('writes nothing for a text that PostgreSQL cannot store, and fails', async () => {
    await expect(reopen({ bootId: 'a\u0000b' })).rejects.toThrow()
    expect(await device()).toMatchObject({ connEpoch: BigInt(connection.connEpoch), bootId: 'boot' })
  })
})

test('waits for a telemetry sample or another write of the device without losing the connection', async () => {
  const { reopening } = await store.database.$transaction(async (statements) => {
    await statements.$executeRaw`UPDATE devices SET telemetry = '{"signal": 1}' WHERE id = 'device'`
    const reopening = reopen({}, waiting)
    await Promise.race([reopening, someoneWaits(store.database)])
    return { reopening }
  })
  expect(await reopening).toMatchObject({ connEpoch: BigInt(connection.connEpoch + 1) })
  expect(await device()).toMatchObject({ relayId: 'second', telemetry: { signal: 1 } })
})

test('a connection opened twenty times at once gets a different epoch each time', async () => {
  const opened = await Promise.all(Array.from({ length: 20 }, () => world.connect({ relayId: 'second' })))
  expect(new Set(opened.map((one) => one.connection.connEpoch)).size).toBe(20)
  expect((await device()).connEpoch).toBe(BigInt(connection.connEpoch + 20))
})
