import { expect, test } from 'vitest'
import { testRelay } from './testing/test-relay.ts'

test('two accounts of one relay see nothing of each other', async () => {
  const relay = await testRelay()
  const other = await relay.addAccount()
  const body = { url: 'https://example.org/sms', event: 'sms:received' }
  expect((await relay.api('POST', '/webhooks', { body })).status).toBe(201)
  expect((await relay.api('GET', '/webhooks')).json).toHaveLength(1)
  expect((await relay.api('GET', '/webhooks', { auth: other.basic })).json).toEqual([])
  await relay.close()
})

test('in Local Server mode tokens are not there, and everything else is', async () => {
  const relay = await testRelay({ isLocal: true })
  expect((await relay.api('POST', '/auth/token', { auth: null })).status).toBe(501)
  expect((await relay.api('GET', '/messages')).status).toBe(200)
  await relay.close()
})
