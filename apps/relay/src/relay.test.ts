import { expect, test } from 'vitest'
import { testRelay } from './testing/test-relay.ts'

test('two accounts of one relay cannot see each other', async () => {
  const relay = await testRelay()
  const other = await relay.addAccount()
  const body = { url: 'https://example.org/sms', event: 'sms:received' }
  expect((await relay.api('POST', '/webhooks', { body })).status).toBe(201)
  expect((await relay.api('GET', '/webhooks')).json).toHaveLength(1)
  expect((await relay.api('GET', '/webhooks', { auth: other.basic })).json).toEqual([])
  await relay.close()
})

test('Local Server mode has all endpoints except those for tokens', async () => {
  const relay = await testRelay({ isLocal: true })
  expect((await relay.api('POST', '/auth/token', { auth: null })).status).toBe(501)
  expect((await relay.api('GET', '/messages')).status).toBe(200)
  await relay.close()
})

test('besides its pool, a relay has the three database connections that the settings help mentions', async () => {
  const relay = await testRelay({ settings: { DATABASE_CONNECTIONS: '4' } })
  const others = async () => {
    const rows = await relay.database.$queryRaw<{ name: string; count: number }[]>`
      SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'smsgw%' GROUP BY 1 ORDER BY 1`
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
  }
  // Causes work of each kind: requests, a webhook delivery, a device and an inbox refresh.
  await relay.api('POST', '/webhooks', { body: { url: 'https://127.0.0.1:1/', event: 'sms:received' } })
  await Promise.all(Array.from({ length: 40 }, () => relay.api('GET', '/messages')))
  await expect.poll(others).toMatchObject({ 'smsgw hints': 1, 'smsgw periodic work': 1, 'smsgw webhooks': 1 })
  const { 'smsgw relay': _pool, ...rest } = await others()
  expect(Object.keys(rest)).toEqual(['smsgw hints', 'smsgw periodic work', 'smsgw webhooks'])
  await relay.close()
})
