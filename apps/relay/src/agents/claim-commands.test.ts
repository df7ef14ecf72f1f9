import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { advanceMessages } from '../messages/advance-messages.ts'
import { openDatabase } from '../store/database.ts'
import { someoneWaits } from '../testing/someone-waits.ts'
import { type TestDatabase, testDatabase } from '../testing/test-database.ts'
import type { AgentConnection } from './agent-connection.ts'
import { claimCommands } from './claim-commands.ts'
import { type DispatchWorld, dispatchWorld } from './testing/dispatch-world.ts'
import { unacknowledgedCommands } from './unacknowledged-commands.ts'

let store: TestDatabase
let world: DispatchWorld
let connection: AgentConnection

beforeAll(async () => {
  store = await testDatabase({ connections: 8 })
})

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  connection = (await world.connect()).connection
})

afterAll(() => store.close())

const plenty = { sends: 100, urgentSends: 110, others: 64 }

function claim(room = plenty, claimant = connection) {
  return claimCommands(store.database, claimant, room, world.now)
}

async function claimedIds(room = plenty, claimant = connection): Promise<string[]> {
  return (await claim(room, claimant)).map(({ kind, cmdId }) => (kind === 'send' ? cmdId : `${kind} ${cmdId}`))
}

function cancel(cmdId: string) {
  const news = { accountId: 'account', cmdId, input: { kind: 'cancel-asked', at: world.now } } as const
  return store.database.$transaction((statements) => advanceMessages(statements, [news], world.now))
}

function processed(cmdId: string) {
  const news = { accountId: 'account', cmdId, input: { kind: 'processed', at: world.now } } as const
  return store.database.$transaction((statements) => advanceMessages(statements, [news], world.now))
}

describe('a claim', () => {
  test('gives a send as the link carries it, and has committed whose it is', async () => {
    await world.message('m', { priority: 3, validUntil: new Date('2026-03-01T13:00:00.000Z') })
    await store.database.message.updateMany({ data: { simNumber: 2, withDeliveryReport: false } })
    expect(await claim()).toEqual([
      {
        kind: 'send',
        cmdId: 'm/0',
        messageId: 'm',
        phoneNumber: '+49151123400',
        content: { text: 'text of m' },
        isEncrypted: false,
        simNumber: 2,
        withDeliveryReport: false,
        priority: 3,
        acceptedAt: '2026-03-01T12:00:00.000Z',
        validUntil: '2026-03-01T13:00:00.000Z',
        onUncertain: 'resolve',
      },
    ])
    expect(await world.recipient('m/0')).toMatchObject({ dispatchedJournal: 'journal', dispatchedAt: world.now })
    expect(await claim()).toEqual([])
  })

  test('gives data with its port, as base64', async () => {
    await world.message('m')
    await store.database.message.updateMany({ data: { text: null, data: Buffer.from([0, 255, 7]), port: 16_000 } })
    expect(await claim()).toMatchObject([{ content: { data: 'AP8H', port: 16_000 } }])
  })

  test('gives the first accepted first, the most important before', async () => {
    await world.message('old')
    world.pass(1)
    await world.message('new', { numbers: 2 })
    await world.message('low', { priority: -5 })
    await world.message('high', { priority: 5 })
    expect(await claimedIds()).toEqual(['high/0', 'old/0', 'new/0', 'new/1', 'low/0'])
  })

  test('keeps the order in which messages were accepted within one millisecond, and that of the recipients', async () => {
    for (const id of ['z', 'y', 'a']) await world.message(id, { numbers: 2 })
    expect(await claimedIds()).toEqual(['z/0', 'z/1', 'y/0', 'y/1', 'a/0', 'a/1'])
  })

  test('does not wait for what somebody else holds, and takes the rest', async () => {
    await world.message('held')
    await world.message('free')
    const ids = await store.database.$transaction(async (statements) => {
      await statements.$queryRaw`SELECT FROM recipients WHERE cmd_id = 'held/0' FOR UPDATE`
      return claimedIds()
    })
    expect(ids).toEqual(['free/0'])
  })

  test('gives the last accepted first in an account that wants it so, within one priority', async () => {
    await store.database.account.updateMany({ data: { settings: { messages: { processing_order: 'LIFO' } } } })
    await world.message('old')
    world.pass(1)
    await world.message('new', { numbers: 2 })
    await world.message('high', { priority: 5 })
    expect(await claimedIds()).toEqual(['high/0', 'new/0', 'new/1', 'old/0'])
  })

  test('keeps to its room, and lets only urgent ones into what is kept for them', async () => {
    for (const id of ['a', 'b', 'c']) await world.message(id)
    await world.message('u1', { priority: 100 })
    await world.message('u2', { priority: 127 })
    expect(await claimedIds({ sends: 0, urgentSends: 0, others: 64 })).toEqual([])
    expect(await claimedIds({ sends: 0, urgentSends: 1, others: 64 })).toEqual(['u2/0'])
    expect(await claimedIds({ sends: 2, urgentSends: 4, others: 64 })).toEqual(['u1/0', 'a/0'])
    expect(await claimedIds({ sends: 1, urgentSends: 4, others: 64 })).toEqual(['b/0'])
  })

  test('leaves what is not due yet and what has expired', async () => {
    await world.message('later', { dueAt: new Date('2026-03-01T12:10:00.000Z') })
    await world.message('over', { validUntil: new Date('2026-03-01T12:00:00.000Z') })
    expect(await claimedIds()).toEqual([])
    world.pass(600)
    expect(await claimedIds()).toEqual(['later/0'])
  })

  test('gives nothing of another device or another account', async () => {
    await world.device('other')
    await world.message('m', { deviceId: 'other' })
    expect(await claimedIds()).toEqual([])
    expect(await claimedIds(plenty, { ...connection, deviceId: 'other' })).toEqual([])
    await world.account('stranger')
    const other = (await world.connect({ deviceId: 'other' })).connection
    expect(await claimedIds(plenty, { ...other, accountId: 'stranger' })).toEqual([])
    expect(await claimedIds(plenty, other)).toEqual(['m/0'])
  })

  test('gives nothing to a connection that is not the newest, or to another journal, or to a deleted device', async () => {
    await world.message('m')
    const newer = (await world.connect({ relayId: 'another relay' })).connection
    expect(await claimedIds()).toEqual([])
    expect(await claimedIds(plenty, { ...newer, journalId: 'older journal' })).toEqual([])
    await store.database.device.update({ where: { id: 'device' }, data: { deletedAt: world.now } })
    expect(await claimedIds(plenty, newer)).toEqual([])
  })
})

describe('cancels and other commands', () => {
  test('come before sends, cancels first, each once for a connection', async () => {
    await world.message('m')
    expect(await claimedIds()).toEqual(['m/0'])
    await cancel('m/0')
    await world.message('n')
    const command = { kind: 'sweep', cmdId: 's' }
    await store.database.deviceCommand.create({
      data: { cmdId: 's', deviceId: 'device', accountId: 'account', command, createdAt: world.now },
    })
    expect(await claimedIds()).toEqual(['cancel m/0', 'sweep s', 'n/0'])
    expect(await claimedIds()).toEqual([])
  })

  test('that have expired are not asked any more', async () => {
    const command = { kind: 'ussd', cmdId: 'u', code: '*100#' }
    const data = { cmdId: 'u', deviceId: 'device', accountId: 'account', command, expiresAt: world.pass(30) }
    await store.database.deviceCommand.create({ data })
    expect(await claimedIds()).toEqual([])
  })

  test('a cancel of what no device had yet is nothing that a device is told', async () => {
    await world.message('m')
    await cancel('m/0')
    expect(await world.messageState('m')).toBe('Cancelled')
    expect(await claimedIds()).toEqual([])
  })

  test('a sweep that another journal was asked for is asked again', async () => {
    const command = { kind: 'sweep', cmdId: 's' }
    await store.database.deviceCommand.create({
      data: { cmdId: 's', deviceId: 'device', accountId: 'account', command },
    })
    expect(await claimedIds()).toEqual(['sweep s'])
    connection = (await world.connect({ journalId: 'next' })).connection
    expect(await claimedIds()).toEqual(['sweep s'])
    expect(await claimedIds()).toEqual([])
  })
})

describe('what was lost on the way', () => {
  test('is told again when the journal connects again, until it says that it has it', async () => {
    await world.message('lost')
    await world.message('stored')
    await world.message('unclaimed', { dueAt: new Date('2027-01-01') })
    await claim()
    await processed('stored/0')
    await cancel('stored/0')
    await claim()
    await cancel('lost/0')
    const { connection: next } = await world.connect()
    const resumed = await unacknowledgedCommands(store.database, next, world.now)
    expect(resumed.map(({ kind, cmdId }) => `${kind} ${cmdId}`)).toEqual(['cancel stored/0', 'send lost/0'])
    expect(await claimedIds(plenty, next)).toEqual(['cancel lost/0'])
  })

  test('is never told to another journal', async () => {
    await world.message('m')
    await claim()
    await cancel('m/0')
    const { connection: next } = await world.connect({ journalId: 'another journal' })
    expect(await unacknowledgedCommands(store.database, next, world.now)).toEqual([])
    expect(await claimedIds(plenty, next)).toEqual([])
  })
})

describe('two relays that believe to hold the same device', () => {
  test('never both get a send, however they interleave', async () => {
    const other = openDatabase({ url: store.url, connections: 8 })
    for (let number = 0; number < 60; number += 1) await world.message(`m${number}`)
    const few = { sends: 4, urgentSends: 4, others: 8 }
    const claims = await Promise.all(
      Array.from({ length: 24 }, (_, number) =>
        claimCommands(number % 2 ? other : store.database, connection, few, world.now),
      ),
    )
    await other.$disconnect()
    const ids = claims.flat().map(({ cmdId }) => cmdId)
    expect(new Set(ids).size).toBe(ids.length)
    const left = await claimedIds()
    expect(new Set([...ids, ...left]).size).toBe(60)
  })

  test('a claim that waits for the newer connection of the device gets nothing', async () => {
    await world.message('m')
    const { claimed } = await store.database.$transaction(async (statements) => {
      await statements.$executeRaw`UPDATE devices SET conn_epoch = conn_epoch + 1 WHERE id = 'device'`
      const claimed = claimedIds()
      await Promise.race([claimed, someoneWaits(store.database)])
      return { claimed }
    })
    expect(await claimed).toEqual([])
    expect((await world.recipient('m/0')).dispatchedJournal).toBeNull()
  })

  test('a newer connection waits for a claim that is under way, and resumes what it took', async () => {
    await world.message('m')
    const { opening } = await store.database.$transaction(async (statements) => {
      await claimCommands(statements, connection, plenty, world.now)
      const opening = world.connect({ relayId: 'another relay' })
      await Promise.race([opening, someoneWaits(store.database)])
      return { opening }
    })
    const next = (await opening).connection
    const resumed = await unacknowledgedCommands(store.database, next, world.now)
    expect(resumed.map(({ cmdId }) => cmdId)).toEqual(['m/0'])
  })
})
