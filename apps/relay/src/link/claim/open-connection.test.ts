import { beforeEach, describe, expect, test } from 'vitest'
import { useTestDatabase } from '../../testing/test-database.ts'
import { type DispatchWorld, dispatchWorld } from '../testing/dispatch-world.ts'
import { closeConnections } from './close-connections-statement.ts'
import { openConnection } from './open-connection.ts'
import { renewLeases } from './renew-leases-statement.ts'

const store = useTestDatabase()
let world: DispatchWorld

beforeEach(async () => {
  world = await dispatchWorld(store.database)
})

const device = () => store.database.device.findUniqueOrThrow({ where: { id: 'device' } })

describe('a connection', () => {
  test('a connection marks the device as online at this relay, with its SIMs and a new epoch', async () => {
    const sims = [
      { simNumber: 1, state: 'ready', phoneNumber: '+491', carrierName: 'Net\u0000', iccid: '89', signal: 70 },
      { simNumber: 2, state: 'absent' },
    ]
    const first = await world.connect({ sims })
    expect(first).toMatchObject({ mark: 0, markTag: undefined, isRetired: false, previousBootId: undefined })
    expect(await device()).toMatchObject({
      relayId: 'relay',
      leaseUntil: new Date('2026-03-01T12:01:00.000Z'),
      lastSeen: world.now,
      bootId: 'boot',
      journalId: 'journal',
      agentVersion: '1.0.0',
    })
    expect(await store.database.simCard.findMany({ orderBy: { simNumber: 'asc' } })).toMatchObject([
      { simNumber: 1, phoneNumber: '+491', carrierName: 'Net\ufffd', iccid: '89', signal: 70 },
      { simNumber: 2, state: 'absent', phoneNumber: null },
    ])
    const next = await world.connect({ sims: [{ simNumber: 2, state: 'ready' }] })
    expect(next.connection.connEpoch).toBe(first.connection.connEpoch + 1)
    expect(await store.database.simCard.findMany()).toMatchObject([{ simNumber: 2, state: 'ready' }])
  })

  test('a connection keeps the number of a card that has become unreadable, but not of another card', async () => {
    const number = async () => (await store.database.simCard.findFirstOrThrow()).phoneNumber
    await world.connect({ sims: [{ simNumber: 1, state: 'ready', phoneNumber: '+491', iccid: '89' }] })
    for (const state of ['absent', 'locked', 'failed']) {
      await world.connect({ sims: [{ simNumber: 1, state }] })
      expect(await number()).toBe('+491')
    }
    await world.connect({ sims: [{ simNumber: 1, state: 'locked', iccid: '88' }] })
    expect(await number()).toBeNull()
  })

  test('a connection replaces the previous connection and returns its relay while that relay may be alive', async () => {
    await world.connect()
    world.pass(30)
    const second = await world.connect({ relayId: 'second', bootId: 'other' })
    expect(second).toMatchObject({ displacedRelayId: 'relay', previousBootId: 'boot' })
    world.pass(61)
    const third = await world.connect({ relayId: 'third' })
    expect(third).toMatchObject({ displacedRelayId: undefined, previousBootId: 'other' })
  })

  test('a connection gets the mark of its journal', async () => {
    await world.connect()
    await store.database.deviceJournal.updateMany({ data: { mark: 41, markTag: 'tag' } })
    expect(await world.connect()).toMatchObject({ mark: 41, markTag: 'tag' })
    expect(await world.connect({ journalId: 'new one' })).toMatchObject({ mark: 0, markTag: undefined })
  })

  test('a connection with an abandoned journal is an old copy, and does not affect the current journal', async () => {
    await world.connect({ journalId: 'first' })
    await world.connect({ journalId: 'second' })
    await world.message('m', { journal: 'second' })
    expect(await world.connect({ journalId: 'first' })).toMatchObject({ isRetired: true })
    expect((await device()).journalId).toBe('second')
    expect((await world.recipient('m/0')).error).toBeNull()
    expect(await world.connect({ journalId: 'second' })).toMatchObject({ isRetired: false })
  })

  test('a connection of a deleted device or another account is refused', async () => {
    const agent = { journalId: 'j', bootId: 'b', agentVersion: '1', capabilities: [], sims: [] }
    const options = { relayId: 'relay', leaseMs: 60_000, now: world.now }
    const stranger = { ...agent, accountId: 'stranger', deviceId: 'device' }
    expect(await openConnection(store.database, stranger, options)).toBeUndefined()
    await store.database.device.update({ where: { id: 'device' }, data: { deletedAt: world.now } })
    const deleted = { ...agent, accountId: 'account', deviceId: 'device' }
    expect(await openConnection(store.database, deleted, options)).toBeUndefined()
  })

  test('a connection with a new journal puts unfinished messages of the previous journal in doubt, acknowledged or not', async () => {
    await world.webhook('sms:failed')
    await world.connect()
    await world.message('waiting')
    for (const id of ['given', 'stored', 'done']) await world.message(id, { journal: 'journal' })
    await store.database.recipient.update({ where: { cmdId: 'stored/0' }, data: { state: 'Processed' } })
    await store.database.recipient.update({ where: { cmdId: 'done/0' }, data: { state: 'Sent' } })
    await world.connect({ journalId: 'next' })
    const errors = await Promise.all(
      ['waiting', 'given', 'stored', 'done'].map(async (id) => (await world.recipient(`${id}/0`)).error),
    )
    const doubt = 'outcome unknown: the device lost its record of sent messages'
    expect(errors).toEqual([null, doubt, doubt, null])
    expect((await world.recipient('stored/0')).state).toBe('Processed')
    expect(await world.outbox()).toEqual([])
  })

  test('a connection opened twenty times at once gets a different epoch each time', async () => {
    await world.account('other')
    await world.device('of other', 'other')
    const opened = await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        number % 2 ? world.connect() : world.connect({ accountId: 'other', deviceId: 'of other' }),
      ),
    )
    const numbers = opened.map(({ connection: { deviceId, connEpoch } }) => `${deviceId} ${connEpoch}`)
    expect(new Set(numbers).size).toBe(20)
  })
})

describe('the lease of a connection', () => {
  test('devices with their own leases renew these in one statement, which returns the superseded connections', async () => {
    await world.device('second')
    await world.device('third')
    const old = (await world.connect()).connection
    const second = (await world.connect({ deviceId: 'second' })).connection
    const third = (await world.connect({ deviceId: 'third' })).connection
    await world.connect({ relayId: 'elsewhere' })
    await store.database.device.update({ where: { id: 'third' }, data: { deletedAt: world.now } })
    world.pass(20)
    const options = { leaseMs: 60_000, now: world.now, relayId: 'again' }
    const lost = await renewLeases(store.database, [old, second, third], options)
    expect(lost).toEqual([old, third])
    expect((await device()).leaseUntil).toEqual(new Date('2026-03-01T12:01:00.000Z'))
    const renewed = await store.database.device.findUniqueOrThrow({ where: { id: 'second' } })
    const leaseUntil = new Date('2026-03-01T12:01:20.000Z')
    expect(renewed).toMatchObject({ leaseUntil, lastSeen: world.now, relayId: 'again' })
  })

  test('the lease of a connection ends when the connection closes, unless a newer connection holds it', async () => {
    const old = (await world.connect()).connection
    const newer = (await world.connect({ relayId: 'elsewhere' })).connection
    await closeConnections(store.database, [old], world.now)
    expect((await device()).relayId).toBe('elsewhere')
    await closeConnections(store.database, [newer], world.pass(5))
    expect(await device()).toMatchObject({ relayId: null, leaseUntil: null, lastSeen: world.now })
  })
})
