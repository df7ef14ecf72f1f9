import { beforeEach, expect, test } from 'vitest'
import { useTestDatabase } from '../../testing/test-database.ts'
import { type DispatchWorld, dispatchWorld } from '../testing/dispatch-world.ts'
import { claimCommands } from './claim-commands-statement.ts'
import { findDevicesWithWork } from './find-work-statement.ts'

const store = useTestDatabase()
let world: DispatchWorld

beforeEach(async () => {
  world = await dispatchWorld(store.database)
})

const plenty = { sends: 100, urgentSends: 100, others: 100 }
const found = (relayId = 'relay') => findDevicesWithWork(store.database, relayId, world.now)

test('finds a device while a due command waits, at the relay that has the connection of the device', async () => {
  const { connection } = await world.connect()
  const claim = () => claimCommands(store.database, connection, plenty, world.now)
  expect(await found()).toEqual([])

  await world.message('scheduled', { scheduleAt: new Date(world.now.getTime() + 1000) })
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

test('finds a device after a clock change has ended its lease', async () => {
  await world.connect()
  await world.message('m')
  world.pass(86_400)
  expect(await found()).toEqual(['device'])
})
