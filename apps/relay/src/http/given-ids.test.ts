import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'

let relay: TestRelay

beforeAll(async () => {
  relay = await testRelay()
  const { id: accountId } = relay.account
  await relay.database.device.create({ data: { id: 'd'.repeat(21), accountId, name: 'attic', lastSeen: new Date() } })
})
afterAll(() => relay.close())

const register = (id: string) =>
  relay.api('POST', '/webhooks', { body: { id, url: 'https://sms.example/hook', event: 'sms:sent' } })
const send = (id: string) =>
  relay.api('POST', '/messages', { body: { id, phoneNumbers: ['+447400123456'], textMessage: { text: 'hello' } } })

test.each(['...', '/', '//', 'a/..', '%2f', '%', '%ZZ', ' ', '?', '#', ';', '\\', '+', 'inbox', 'é\u{1f600}'])(
  'a resource created with the id %j can be read with that id',
  async (id) => {
    const { status, headers, json } = await send(id)
    expect([status, json.id]).toEqual([202, id])
    expect((await relay.request('GET', headers.get('location') ?? '')).json.id).toBe(id)
    const { status: registered } = await register(id)
    expect(registered).toBe(201)
    expect((await relay.api('GET', `/webhooks/${encodeURIComponent(id)}/deliveries`)).status).toBe(200)
    await relay.api('DELETE', `/webhooks/${encodeURIComponent(id)}`)
    expect((await relay.api('GET', '/webhooks')).json).toEqual([])
  },
)

test.each(['.', '..', '%2e', '%2E%2e', '.%2E'])('refuses an id that cannot be used in a URL: %s', async (id) => {
  for (const refused of [await send(id), await register(id)]) {
    expect([refused.status, refused.json.errors[0].path]).toEqual([400, 'id'])
    expect(refused.json.message).toBe(
      'id must not be "." or "..", because a URL cannot contain such an id: choose another id',
    )
  }
})

test('a webhook cannot have the id `deliveries`, which is part of another path', async () => {
  expect((await register('deliveries')).json.message).toContain('id must not be "deliveries"')
  expect((await send('deliveries')).status).toBe(202)
})
