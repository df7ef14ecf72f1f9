import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/test-database.ts'
import { claimCommands } from './claim-commands.ts'
import { findWork } from './find-work.ts'
import { type DispatchWorld, dispatchWorld } from './testing/dispatch-world.ts'

let store: TestDatabase
let world: DispatchWorld

beforeAll(async () => {
  store = await testDatabase()
})

beforeEach(async () => {
  world = await dispatchWorld(store.database)
})

afterAll(() => store.close())

const plenty = { sends: 100, urgentSends: 100, others: 100 }
const found = (relayId = 'relay') => findWork(store.database, relayId, world.now)

test('a device is found as long as something waits for it that is due, by the relay that holds it', async () => {
  const { connection } = await world.connect()
  const claim = () => claimCommands(store.database, connection, plenty, world.now)
  expect(await found()).toEqual([])

  await world.message('scheduled', { dueAt: new Date(world.now.getTime() + 1000) })
  expect(await found()).toEqual([])
  world.pass(1)
  expect(await found()).toEqual(['device'])
  expect(await found('another relay')).toEqual([])
  await claim()
  expect(await found()).toEqual([])

  const data = { state: 'Cancelling', cancelRequestedAt: world.now } as const
  await store.database.recipient.update({ where: { cmdId: 'scheduled/0' }, data })
  expect(await found()).toEqual(['device'])
  await claim()
  expect(await found()).toEqual([])

  const command = { kind: 'sweep', cmdId: 's' }
  await store.database.deviceCommand.create({ data: { cmdId: 's', deviceId: 'device', accountId: 'account', command } })
  expect(await found()).toEqual(['device'])
  await claim()
  expect(await found()).toEqual([])
})

test('a device whose lease has run out is nobody’s', async () => {
  await world.connect()
  await world.message('m')
  world.pass(61)
  expect(await found()).toEqual([])
})
