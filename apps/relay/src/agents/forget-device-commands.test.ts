import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/test-database.ts'
import { forgetDeviceCommands } from './forget-device-commands.ts'
import { dispatchWorld } from './testing/dispatch-world.ts'

let store: TestDatabase

beforeAll(async () => {
  store = await testDatabase()
})

afterAll(() => store.close())

test('what was answered or expired before is forgotten, what is still asked is kept', async () => {
  await dispatchWorld(store.database)
  const [before, now] = [new Date('2026-03-01T11:00:00Z'), new Date('2026-03-01T12:00:00Z')]
  const command = (cmdId: string, more: object) => ({
    cmdId,
    deviceId: 'device',
    accountId: 'account',
    command: {},
    ...more,
  })
  await store.database.deviceCommand.createMany({
    data: [
      command('answered', { answeredAt: before }),
      command('expired', { expiresAt: before }),
      command('just answered', { answeredAt: now, expiresAt: now }),
      command('asked', {}),
    ],
  })
  expect(await forgetDeviceCommands(store.database, now)).toBe(2)
  const left = await store.database.deviceCommand.findMany({ orderBy: { cmdId: 'asc' } })
  expect(left.map(({ cmdId }) => cmdId)).toEqual(['asked', 'just answered'])
})
