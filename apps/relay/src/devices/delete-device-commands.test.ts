import { expect, test } from 'vitest'
import { dispatchWorld } from '../link/testing/dispatch-world.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { deleteOldDeviceCommands } from './ask-device.ts'

const store = useTestDatabase()

test('deletes answered and expired commands, and keeps open commands', async () => {
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
  expect(await deleteOldDeviceCommands(store.database, now)).toBe(2)
  const left = await store.database.deviceCommand.findMany({ orderBy: { cmdId: 'asc' } })
  expect(left.map(({ cmdId }) => cmdId)).toEqual(['asked', 'just answered'])
})
