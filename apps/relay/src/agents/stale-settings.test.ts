import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/test-database.ts'
import { staleSettings } from './stale-settings.ts'
import { dispatchWorld } from './testing/dispatch-world.ts'

let store: TestDatabase

beforeAll(async () => {
  store = await testDatabase()
})

afterAll(() => store.close())

test('an account is found when one of its agents was told older settings than it has', async () => {
  const world = await dispatchWorld(store.database)
  for (const id of ['changed', 'unchanged']) await world.account(id)
  await store.database.account.update({ where: { id: 'changed' }, data: { settingsVersion: 3 } })
  const told = (accountId: string, settingsVersion: number) => ({ connection: { accountId }, settingsVersion })
  const agents = [
    told('changed', 3),
    told('changed', 2),
    told('unchanged', 1),
    { connection: undefined, settingsVersion: 0 },
  ]
  expect(await staleSettings(store.database, agents)).toEqual(['changed'])
  expect(await staleSettings(store.database, [told('changed', 3)])).toEqual([])
  expect(await staleSettings(store.database, [])).toEqual([])
})
