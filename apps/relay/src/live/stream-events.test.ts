// Events as a client receives them over HTTP from a complete relay.
import { liveHeartbeat } from '@smsgw/contract/live/live-event'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { deleteOldLiveEvents } from './delete-live-events-statement.ts'
import { eventCursor } from './stream-events.ts'
import { type ReadStream, readEventStream } from './testing/read-event-stream.ts'

let relay: TestRelay
const streams: ReadStream[] = []
beforeAll(async () => {
  relay = await testRelay()
  await relay.database.device.create({ data: { id: 'd'.repeat(21), accountId: relay.account.id, name: 'attic' } })
})
afterAll(() => relay.close())
afterEach(async () => {
  await Promise.all(streams.splice(0).map((stream) => stream.close()))
})

async function watch(query = '', headers: Readonly<Record<string, string>> = {}, where = relay): Promise<ReadStream> {
  const url = `${where.url}/3rdparty/v1/events${query}`
  const stream = await readEventStream(url, { authorization: where.account.basic, ...headers })
  streams.push(stream)
  return stream
}

let sent = 0
async function send(): Promise<string> {
  const body = { id: `m${sent++}`, phoneNumbers: ['+4915112345678'], textMessage: { text: 'hello' } }
  expect((await relay.api('POST', '/messages', { body })).status).toBe(202)
  return body.id
}
const token = async (...scopes: readonly string[]) =>
  `Bearer ${(await relay.api('POST', '/auth/token', { body: { scopes } })).json.access_token}`

test('sends changes made through the API as they happen', async () => {
  const stream = await watch()
  const id = await send()
  expect(await stream.next('message.created')).toMatchObject({ data: { id } })
  await relay.api('DELETE', `/messages/${id}`)
  expect(await stream.next('message.changed')).toMatchObject({ data: { id, state: 'Cancelled' } })
  await relay.api('PATCH', '/settings', { body: { messages: { processing_order: 'LIFO' } } })
  expect(await stream.next('settings.changed')).toMatchObject({ data: {} })
  expect(await stream.next('log.added')).toMatchObject({ data: { module: 'settings', priority: 'INFO' } })
  await relay.api('POST', '/webhooks', { body: { id: 'w', url: 'https://x.example/', event: 'sms:sent' } })
  expect(await stream.next('webhook.changed')).toMatchObject({ data: { id: 'w' } })
})

test('sends a heartbeat first, even if the request names other kinds', async () => {
  const heartbeat = await (await watch('?kinds=log.added')).next('heartbeat')
  expect(liveHeartbeat.parse(heartbeat?.data)).toEqual({ intervalSeconds: 15 })
})

test('sends nothing of another account', async () => {
  const stranger = await relay.addAccount()
  const theirs = await watch('', { authorization: stranger.basic })
  const ours = await watch()
  const id = await send()
  expect(await ours.next('message.created')).toMatchObject({ data: { id } })
  await relay.api('POST', '/webhooks', {
    auth: stranger.basic,
    body: { id: 'theirs', url: 'https://x.example/', event: 'sms:sent' },
  })
  expect(await theirs.next()).toMatchObject({ event: 'webhook.changed', data: { id: 'theirs' } })
})

test('sends the kinds that the scopes of a token allow and the request names', async () => {
  const settings = await watch('', { authorization: await token('settings:read', 'messages:send') })
  const logs = await watch('?kinds=log.added,message.created', { authorization: await token('logs:read') })
  await send()
  await relay.api('PATCH', '/settings', { body: { messages: { processing_order: 'FIFO' } } })
  expect(await settings.next()).toMatchObject({ event: 'settings.changed' })
  expect(await logs.next()).toMatchObject({ event: 'log.added' })
})

test('refuses a client that may read no kind, and a request for unknown kinds', async () => {
  const auth = await token('messages:send')
  const refused = await relay.api('GET', '/events', { auth })
  expect([refused.status, refused.json.message]).toEqual([
    403,
    expect.stringContaining('scope required: messages:read'),
  ])
  const others = await relay.api('GET', '/events?kinds=log.added', { auth: await token('inbox:list') })
  expect([others.status, others.json.message]).toEqual([403, 'scope required: logs:read'])
  const unknown = await relay.api('GET', '/events?kinds=log.added,moon.risen')
  expect([unknown.status, unknown.json.message]).toEqual([400, expect.stringContaining('message.created')])
  expect((await relay.api('GET', '/events', { auth: null })).status).toBe(401)
})

test('sends each missed event once to a reconnecting client, whose cursor is in a header or the query', async () => {
  const first = await watch('?kinds=message.created')
  const begun = await send()
  await first.next()
  await first.close()
  const missed = [await send(), await send()]
  for (const again of [
    await watch('?kinds=message.created', { 'last-event-id': first.lastId() }),
    await watch(`?kinds=message.created&lastEventId=${first.lastId()}`),
  ]) {
    for (const id of missed) expect(await again.next()).toMatchObject({ data: { id } })
  }
  expect(missed).not.toContain(begun)
})

test('a client that received no event can also resume', async () => {
  const first = await watch('?kinds=device.changed')
  await relay.database.device.update({ where: { id: 'd'.repeat(21) }, data: { name: 'cellar' } })
  expect(await first.next()).toMatchObject({ event: 'device.changed' })
  const quiet = await watch('?kinds=message.created')
  const marker = await send()
  expect(await quiet.next()).toMatchObject({ data: { id: marker } })
})

test.each([
  ['an invalid cursor', async () => 'nonsense'],
  ['a cursor from another database', async (known: string) => `other${known.slice(5)}`],
  [
    'a cursor from the future',
    async (known: string) => known.replace(/\d+$/, (place) => `${Number(place) + 1_000_000}`),
  ],
  [
    'a cursor whose events are deleted',
    async (known: string) => {
      await relay.database.$executeRaw`UPDATE live_events SET at = at - interval '3 hours'`
      await deleteOldLiveEvents(relay.database)
      return known
    },
  ],
])('a client that reconnects with %s gets a reset', async (_, cursor) => {
  const first = await watch('?kinds=message.created')
  await send()
  const { id: known = '' } = (await first.next()) ?? {}
  await send()
  await first.next()
  const again = await watch('?kinds=message.created', { 'last-event-id': await cursor(known) })
  expect(await again.next()).toMatchObject({ event: 'reset', data: {} })
  const id = await send()
  expect(await again.next()).toMatchObject({ data: { id } })
})

test('an account that was not watched for a while gets a reset, because events are missing', async () => {
  const first = await watch('?kinds=message.created')
  await send()
  const { id: known = '' } = (await first.next()) ?? {}
  await first.close()
  await relay.database.$executeRaw`UPDATE live_accounts SET until = now() - interval '1 second'`
  await deleteOldLiveEvents(relay.database)
  await send()
  const again = await watch('?kinds=message.created', { 'last-event-id': known })
  expect(await again.next()).toMatchObject({ event: 'reset' })
})

test('an account may have twenty streams, and a HEAD request does not count', async () => {
  const stranger = await relay.addAccount()
  const headers = { authorization: stranger.basic }
  for (let count = 0; count < 25; count++)
    expect((await relay.api('HEAD', '/events', { auth: stranger.basic })).status).toBe(200)
  const many = await Promise.all(Array.from({ length: 20 }, () => watch('', headers)))
  expect(many.map(({ status }) => status)).toEqual(many.map(() => 200))
  const refused = await relay.api('GET', '/events', { auth: stranger.basic })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  expect((await watch()).status).toBe(200)
})

test('opens at most twenty streams when more are requested at once', async () => {
  const other = await relay.addAccount()
  const all = await Promise.all(Array.from({ length: 30 }, () => watch('', { authorization: other.basic })))
  expect(all.map(({ status }) => status).sort()).toEqual([...Array(20).fill(200), ...Array(10).fill(429)])
})

test('a relay that shuts down ends its streams', async () => {
  const ending = await testRelay()
  const stream = await watch('', {}, ending)
  expect(stream.status).toBe(200)
  const end = stream.next()
  await ending.close()
  expect(await end).toBeUndefined()
})

test('a cursor identifies its database', () => {
  expect(eventCursor('abcdefghijklmno', 12n)).toBe('abcdefgh.12')
})
