import { beforeEach, describe, expect, test } from 'vitest'
import { advanceMessages } from '../../messages/progress/advance-messages.ts'
import { connectDatabase } from '../../store/database.ts'
import { someoneWaits } from '../../testing/someone-waits.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import type { AgentConnection } from '../claim/agent-connection.ts'
import { storeSims } from '../claim/store-sims-statement.ts'
import { type DispatchWorld, dispatchWorld } from '../testing/dispatch-world.ts'
import { claimCommands } from './claim-commands-statement.ts'
import { readUnacknowledgedCommands } from './read-unacknowledged-statement.ts'

const store = useTestDatabase({ connections: 8 })
let world: DispatchWorld
let connection: AgentConnection

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  connection = (await world.connect()).connection
})

const plenty = { sends: 100, urgentSends: 110, others: 64 }

function claim(room = plenty, claimant = connection) {
  return claimCommands(store.database, claimant, room, world.now)
}

async function claimedIds(room = plenty, claimant = connection): Promise<string[]> {
  return (await claim(room, claimant)).map(({ kind, cmdId }) => (kind === 'send' ? cmdId : `${kind} ${cmdId}`))
}

function cancel(cmdId: string) {
  const updates = { accountId: 'account', cmdId, input: { kind: 'cancel-requested', at: world.now } } as const
  return store.database.$transaction((statements) => advanceMessages(statements, [updates], world.now))
}

function processed(cmdId: string) {
  const updates = { accountId: 'account', cmdId, input: { kind: 'processed', at: world.now } } as const
  return store.database.$transaction((statements) => advanceMessages(statements, [updates], world.now))
}

describe('a claim', () => {
  test('a claim returns a send in the format of the link, after committing its dispatch', async () => {
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

  test('a claim returns no send for virtual modems while the account has a real modem, unless both may be mixed', async () => {
    await world.sims([{ simNumber: 1, state: 'ready', isEmulated: true }])
    await world.message('first')
    expect(await claimedIds()).toEqual(['first/0'])
    await world.device('real')
    await storeSims(store.database, 'real', [{ simNumber: 1, state: 'searching' }], world.now)
    await world.message('second')
    await cancel('first/0')
    expect(await claimedIds()).toEqual(['cancel first/0'])
    const { connection: real } = await world.connect({ deviceId: 'real', sims: [{ simNumber: 1, state: 'ready' }] })
    await world.message('third', { deviceId: 'real' })
    expect(await claimedIds(plenty, real)).toEqual(['third/0'])
    const mixed = await claimCommands(store.database, connection, plenty, world.now, { mayMixEmulated: true })
    expect(mixed.map(({ cmdId }) => cmdId)).toEqual(['second/0'])
  })

  test('a claim returns onUncertain as requested', async () => {
    await world.message('m')
    await store.database.message.updateMany({ data: { onUncertain: 'resend' } })
    expect(await claim()).toMatchObject([{ onUncertain: 'resend' }])
  })

  test('a claim returns data with its port, as base64', async () => {
    await world.message('m')
    await store.database.message.updateMany({ data: { text: null, data: Buffer.from([0, 255, 7]), port: 16_000 } })
    expect(await claim()).toMatchObject([{ content: { data: 'AP8H', port: 16_000 } }])
  })

  test('a claim returns plain data of a message marked as encrypted as base64, which its agent refuses', async () => {
    await world.message('m')
    const data = { isEncrypted: true, text: null, data: Buffer.from([0, 255, 7]), port: 16_000 }
    await store.database.message.updateMany({ data })
    expect(await claim()).toMatchObject([{ isEncrypted: true, content: { data: 'AP8H', port: 16_000 } }])
  })

  test('a claim orders by priority, then by acceptance', async () => {
    await world.message('old')
    world.pass(1)
    await world.message('new', { numbers: 2 })
    await world.message('low', { priority: -5 })
    await world.message('high', { priority: 5 })
    expect(await claimedIds()).toEqual(['high/0', 'old/0', 'new/0', 'new/1', 'low/0'])
  })

  test('a claim keeps the order of messages accepted in the same millisecond, and of their recipients', async () => {
    for (const id of ['z', 'y', 'a']) await world.message(id, { numbers: 2 })
    expect(await claimedIds()).toEqual(['z/0', 'z/1', 'y/0', 'y/1', 'a/0', 'a/1'])
  })

  test('a claim skips rows that another transaction has locked, and takes the other rows', async () => {
    await world.message('held')
    await world.message('free')
    const ids = await store.database.$transaction(async (statements) => {
      await statements.$queryRaw`SELECT FROM recipients WHERE cmd_id = 'held/0' FOR UPDATE`
      return claimedIds()
    })
    expect(ids).toEqual(['free/0'])
  })

  test('a claim returns the latest message first within a priority if the account uses LIFO', async () => {
    await store.database.account.updateMany({ data: { settings: { messages: { processing_order: 'LIFO' } } } })
    await world.message('old')
    world.pass(1)
    await world.message('new', { numbers: 2 })
    await world.message('high', { priority: 5 })
    expect(await claimedIds()).toEqual(['high/0', 'new/0', 'new/1', 'old/0'])
  })

  test('a claim respects the credit, and reserves some of it for urgent sends', async () => {
    for (const id of ['a', 'b', 'c']) await world.message(id)
    await world.message('u1', { priority: 100 })
    await world.message('u2', { priority: 127 })
    expect(await claimedIds({ sends: 0, urgentSends: 0, others: 64 })).toEqual([])
    expect(await claimedIds({ sends: 0, urgentSends: 1, others: 64 })).toEqual(['u2/0'])
    expect(await claimedIds({ sends: 2, urgentSends: 4, others: 64 })).toEqual(['u1/0', 'a/0'])
    expect(await claimedIds({ sends: 1, urgentSends: 4, others: 64 })).toEqual(['b/0'])
  })

  test('a claim does not return sends that are not due or have expired', async () => {
    await world.message('later', { scheduleAt: new Date('2026-03-01T12:10:00.000Z') })
    await world.message('over', { validUntil: new Date('2026-03-01T12:00:00.000Z') })
    expect(await claimedIds()).toEqual([])
    world.pass(600)
    expect(await claimedIds()).toEqual(['later/0'])
  })

  test('a claim returns an unscheduled message at once, even if the clock of the relay that accepted it was ahead', async () => {
    world.pass(86_400)
    await world.message('m')
    world.pass(-86_400)
    expect(await claimedIds()).toEqual(['m/0'])
  })

  test('a claim returns nothing of another device or account', async () => {
    await world.device('other')
    await world.message('m', { deviceId: 'other' })
    expect(await claimedIds()).toEqual([])
    expect(await claimedIds(plenty, { ...connection, deviceId: 'other' })).toEqual([])
    await world.account('stranger')
    const other = (await world.connect({ deviceId: 'other' })).connection
    expect(await claimedIds(plenty, { ...other, accountId: 'stranger' })).toEqual([])
    expect(await claimedIds(plenty, other)).toEqual(['m/0'])
  })

  test('a claim returns nothing to a superseded connection, another journal, or a deleted device', async () => {
    await world.message('m')
    const newer = (await world.connect({ relayId: 'another relay' })).connection
    expect(await claimedIds()).toEqual([])
    expect(await claimedIds(plenty, { ...newer, journalId: 'older journal' })).toEqual([])
    await store.database.device.update({ where: { id: 'device' }, data: { deletedAt: world.now } })
    expect(await claimedIds(plenty, newer)).toEqual([])
  })
})

describe('cancels and other commands', () => {
  test('cancels and other commands come before sends, with cancels first, once per connection', async () => {
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

  test('cancels and other commands are not dispatched after they expire', async () => {
    const command = { kind: 'ussd', cmdId: 'u', code: '*100#' }
    const data = { cmdId: 'u', deviceId: 'device', accountId: 'account', command, expiresAt: world.pass(30) }
    await store.database.deviceCommand.create({ data })
    expect(await claimedIds()).toEqual([])
  })

  test('cancels and other commands do not include a cancel of a message that was never dispatched', async () => {
    await world.message('m')
    await cancel('m/0')
    expect(await world.messageState('m')).toBe('Cancelled')
    expect(await claimedIds()).toEqual([])
  })

  test('cancels and other commands include a sweep that was dispatched to another journal', async () => {
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

describe('a command that was lost on the way', () => {
  test('a command that was lost on the way is dispatched again when the journal reconnects, until it is acknowledged', async () => {
    await world.message('lost')
    await world.message('stored')
    await world.message('unclaimed', { scheduleAt: new Date('2027-01-01') })
    await claim()
    await processed('stored/0')
    await cancel('stored/0')
    await claim()
    await cancel('lost/0')
    const { connection: next } = await world.connect()
    const resumed = await readUnacknowledgedCommands(store.database, next, world.now)
    expect(resumed.map(({ kind, cmdId }) => `${kind} ${cmdId}`)).toEqual(['cancel stored/0', 'send lost/0'])
    expect(await claimedIds(plenty, next)).toEqual(['cancel lost/0'])
  })

  test('a command that was lost on the way is never dispatched to another journal', async () => {
    await world.message('m')
    await claim()
    await cancel('m/0')
    const { connection: next } = await world.connect({ journalId: 'another journal' })
    expect(await readUnacknowledgedCommands(store.database, next, world.now)).toEqual([])
    expect(await claimedIds(plenty, next)).toEqual([])
  })
})

describe('two relays that both assume that they have the connection of a device', () => {
  test('two relays never both claim a send, in any interleaving', async () => {
    const other = connectDatabase({ url: store.url, connections: 8 })
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

  test('a claim that waits for a newer connection of the device gets nothing', async () => {
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

  test('a newer connection waits for a running claim and gets its commands again', async () => {
    await world.message('m')
    const { opening } = await store.database.$transaction(async (statements) => {
      await claimCommands(statements, connection, plenty, world.now)
      const opening = world.connect({ relayId: 'another relay' })
      await Promise.race([opening, someoneWaits(store.database)])
      return { opening }
    })
    const next = (await opening).connection
    const resumed = await readUnacknowledgedCommands(store.database, next, world.now)
    expect(resumed.map(({ cmdId }) => cmdId)).toEqual(['m/0'])
  })
})
