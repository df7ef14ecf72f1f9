import type { LiveEventContents } from '@smsgw/contract/live/live-event'
import { liveEventKinds } from '@smsgw/contract/live/live-event'
import { expect, expectTypeOf, test } from 'vitest'
import { dropConnection, problemAnswer, type ScriptedAnswer, scriptedServer } from '../../testing/scripted-server.ts'
import { SmsGateway } from '../client.ts'
import type { FollowOptions, LiveEventData, LiveEventKind } from './live-events.ts'

const changed = (number: number, state: string) =>
  `id: s.${number}\nevent: message.changed\ndata: ${JSON.stringify({ id: 'm1', state })}\n\n`

/** Sends texts one after another, then ends the connection unless it stays open. */
function stream(texts: readonly string[], { staysOpen = false } = {}): ScriptedAnswer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const text of texts) {
      response.write(text)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    if (!staysOpen) response.end()
  }
}

async function follow(answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]], count: number, options?: FollowOptions) {
  const { url, requests } = await scriptedServer(...answers)
  const sms = new SmsGateway({ url, credentials: { apiKey: 'key' } })
  const events: unknown[] = []
  for await (const event of sms.events(options)) {
    events.push(event)
    if (events.length === count) break
  }
  return { events, requests, ids: requests.map(({ headers }) => headers['last-event-id']) }
}

test('yields all events although the stream is divided at any byte', async () => {
  const text = `retry: 2000\r\nid: s.1\r\n\r\n: still here\n\n${changed(2, 'Sent')}event: inbox.received\ndata: {"id":"ä",\ndata: "sender":"+1","type":"SMS"}\n\n`
  const bytes = [...Buffer.from(text)].map((byte) => String.fromCharCode(byte))
  const cut: ScriptedAnswer = (response) => {
    response.writeHead(200)
    for (const byte of bytes) response.write(byte, 'latin1')
  }
  const { events } = await follow([cut], 2)
  expect(events).toEqual([
    { kind: 'message.changed', data: { id: 'm1', state: 'Sent' }, id: 's.2' },
    { kind: 'inbox.received', data: { id: 'ä', sender: '+1', type: 'SMS' }, id: 's.2' },
  ])
})

test('after an interruption the stream continues after the last event', async () => {
  const { events, ids } = await follow(
    [stream([changed(4, 'Processed')]), dropConnection, problemAnswer(503, 'starting'), stream([changed(5, 'Sent')])],
    2,
  )
  expect(events).toMatchObject([{ id: 's.4' }, { id: 's.5' }])
  expect(ids).toEqual([undefined, 's.4', 's.4', 's.4'])
})

test('an idle client continues at the id of the last heartbeat', async () => {
  const heartbeat = ': still here\nid: s.9\n\nevent: heartbeat\ndata: {}\n\n'
  const { events, ids } = await follow([stream([changed(4, 'Sent'), heartbeat]), stream([changed(10, 'Sent')])], 2)
  expect(events).toMatchObject([{ id: 's.4' }, { id: 's.10' }])
  expect(ids).toEqual([undefined, 's.9'])
})

test('requests an incomplete event again', async () => {
  const { events, ids } = await follow(
    [stream([changed(4, 'Sent'), changed(5, 'Delivered').slice(0, -1)]), stream([changed(5, 'Delivered')])],
    2,
  )
  expect(events).toMatchObject([{ id: 's.4' }, { id: 's.5' }])
  expect(ids).toEqual([undefined, 's.4'])
})

test('a reset is reported, and kinds and the first id are sent to the server', async () => {
  const { events, requests, ids } = await follow([stream(['event: reset\ndata: {}\n\n'], { staysOpen: true })], 1, {
    kinds: ['inbox.received', 'message.changed'],
    lastEventId: 'old.1',
  })
  expect(events).toEqual([{ kind: 'reset', data: {}, id: undefined }])
  expect(requests[0]?.url).toBe('/3rdparty/v1/events?kinds=inbox.received%2Cmessage.changed')
  expect(ids).toEqual(['old.1'])
})

test('credentials that lost access end the iteration with an error', async () => {
  const end = 'event: end\ndata: {"code":"password_changed","message":"The password was changed"}\n\n'
  const following = follow([stream([end], { staysOpen: true }), problemAnswer(401, 'Wrong username or password')], 1)
  await expect(following).rejects.toMatchObject({ name: 'AuthenticationError' })
})

test('a missing scope ends the iteration with an error', async () => {
  await expect(follow([problemAnswer(403, 'scope required: inbox:list')], 1)).rejects.toThrow(
    'scope required: inbox:list',
  )
})

test('a signal ends the iteration without an error, and closes the connection', async () => {
  const closed = Promise.withResolvers<void>()
  const controller = new AbortController()
  const open: ScriptedAnswer = (response, request) => {
    response.on('close', closed.resolve)
    return stream([changed(1, 'Sent')], { staysOpen: true })(response, request)
  }
  const { url } = await scriptedServer(open)
  const sms = new SmsGateway({ url, credentials: { apiKey: 'key' } })
  const events: unknown[] = []
  for await (const event of sms.events({ signal: controller.signal })) {
    events.push(event)
    controller.abort()
  }
  await closed.promise
  expect(events).toHaveLength(1)
})

test('every kind of event exists in the contract, with the same data', () => {
  type Known = Pick<LiveEventContents, LiveEventKind>
  expectTypeOf<LiveEventData>().branded.toEqualTypeOf<{ -readonly [Kind in keyof Known]: Known[Kind] }>()
  expect(liveEventKinds).toEqual(expect.arrayContaining(['message.created', 'inbox.received', 'settings.changed']))
})
