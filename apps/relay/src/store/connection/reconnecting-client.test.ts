import { afterEach, expect, test } from 'vitest'
import { useTestDatabase } from '../../testing/test-database.ts'
import { isDatabaseUnavailable } from './database-unavailable.ts'
import { ReconnectingClient } from './reconnecting-client.ts'

const store = useTestDatabase()
let client: ReconnectingClient
const events: string[] = []
/** The error of a query that was made during the outage. */
let failure: Promise<unknown> | undefined

afterEach(async () => {
  await client.close()
  events.length = 0
})

async function open(): Promise<void> {
  client = new ReconnectingClient({
    url: store.url,
    name: 'smsgw test',
    prepare: (connection) => connection.query('LISTEN test_channel'),
    onConnected: () => events.push('connected'),
    onLost: () => {
      events.push('lost')
      failure = client.query('SELECT 1').catch((error: unknown) => error)
    },
    onNotification: (payload) => events.push(payload),
  })
  await client.query('SELECT 1')
}

const disconnect = () =>
  store.database.$executeRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'smsgw test'`

test('prepares each new connection, and reports an outage once', async () => {
  await open()
  await disconnect()
  await expect.poll(() => events).toEqual(['connected', 'lost', 'connected'])
  await store.database.$executeRaw`SELECT pg_notify('test_channel', 'hello')`
  await expect.poll(() => events.at(-1)).toBe('hello')
})

test('a query without a connection fails as an unavailable database', async () => {
  await open()
  await disconnect()
  await expect.poll(() => events).toContain('lost')
  expect(isDatabaseUnavailable(await failure)).toBe(true)
})

test('runs queries one after the other and returns their rows', async () => {
  await open()
  const sums = [1, 2, 3].map((value) => client.query<{ sum: number }>('SELECT $1::int + 1 AS sum', [value]))
  expect(await Promise.all(sums)).toEqual([[{ sum: 2 }], [{ sum: 3 }], [{ sum: 4 }]])
})
