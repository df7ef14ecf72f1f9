import { expect, test } from 'vitest'
import { useTestDatabase } from '../../testing/test-database.ts'
import { dispatchWorld } from '../testing/dispatch-world.ts'
import { findStaleSettings } from './find-stale-settings-statement.ts'

const store = useTestDatabase()

test('finds an account when one of its agents has older settings', async () => {
  const world = await dispatchWorld(store.database)
  for (const id of ['changed', 'unchanged']) await world.account(id)
  await store.database.account.update({ where: { id: 'changed' }, data: { settingsVersion: 3 } })
  const agent = (accountId: string, settingsVersion: number) => ({ connection: { accountId }, settingsVersion })
  const agents = [
    agent('changed', 3),
    agent('changed', 2),
    agent('unchanged', 1),
    { connection: undefined, settingsVersion: 0 },
  ]
  expect(await findStaleSettings(store.database, agents)).toEqual(['changed'])
  expect(await findStaleSettings(store.database, [agent('changed', 3)])).toEqual([])
  expect(await findStaleSettings(store.database, [])).toEqual([])
})
