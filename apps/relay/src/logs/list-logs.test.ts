import { afterAll, beforeAll, expect, test } from 'vitest'
import { route } from '../http/route.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import { listLogs } from './logbook.ts'

const shared = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  api = await testEndpoints([route('GET', '/logs', 'logs:read', '', listLogs({ database: shared.database, clock }))])
  for (const id of ['a1', 'a2']) await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
  const entry = (count: number) => ({
    accountId: 'a1',
    createdAt: at(count),
    module: 'test',
    priority: 'INFO',
    message: `${count}`,
  })
  await shared.database.logEntry.createMany({ data: Array.from({ length: 1002 }, (_, count) => entry(count)) })
  await shared.database.logEntry.create({ data: { ...entry(2000), context: { code: '38' } } })
})
afterAll(() => api.close())

const clock = { now: () => at(86_400) }
const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 9, 0, seconds))
const list = async (query = '', account = 'a1') =>
  (await api.request(account, 'GET', `/logs${query}`)).json as { id: number; message: string }[]

test('lists the newest thousand entries, newest first', async () => {
  const entries = await list()
  expect(entries).toHaveLength(1000)
  expect(entries.slice(0, 2)).toEqual([
    {
      id: entries[0]?.id,
      createdAt: at(2000).toISOString(),
      module: 'test',
      priority: 'INFO',
      message: '2000',
      context: { code: '38' },
    },
    { id: entries[1]?.id, createdAt: at(1001).toISOString(), module: 'test', priority: 'INFO', message: '1001' },
  ])
})

test('a range includes its start and excludes its end', async () => {
  const entries = await list(`?from=${at(5).toISOString()}&to=${at(7).toISOString()}`)
  expect(entries.map(({ message }) => message)).toEqual(['6', '5'])
})

test('lists only entries of the account', async () => {
  expect(await list('', 'a2')).toEqual([])
})

test('leaves out entries that are older than the retention of the account, even before they are deleted', async () => {
  const old = { accountId: 'a2', module: 'test', priority: 'INFO' }
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * 86_400_000)
  for (const days of [1.9, 2.1])
    await shared.database.logEntry.create({ data: { ...old, createdAt: daysAgo(days), message: `${days}` } })
  const listed = async (query = '') => (await list(query, 'a2')).map(({ message }) => message)
  expect(await listed()).toEqual(['1.9', '2.1'])
  await shared.database.account.update({ where: { id: 'a2' }, data: { settings: { logs: { lifetime_days: 2 } } } })
  expect(await listed()).toEqual(['1.9'])
  expect(await listed(`?from=${daysAgo(3).toISOString()}`)).toEqual(['1.9'])
})
