import { NotFoundError } from '@smsgw/client/errors'
import type { FollowOptions, LiveEvent } from '@smsgw/client/live-events'
import type { InboxItem } from '@smsgw/client/openapi'
import { expect, test } from 'vitest'
import { EventFollower, type EventFollowerOptions } from './event-follower.ts'
import { FollowedPosition } from './followed-position.ts'

const received = (id: string, event: string): LiveEvent => ({
  ...{ kind: 'inbox.received', data: { id, sender: '+447400123456', type: 'SMS' } },
  id: event,
})
const reset: LiveEvent = { kind: 'reset', data: {}, id: 's.9' }

/** An account with these messages, newest first, and these events. The stream ends after the last event. */
async function follow(inbox: readonly string[], events: readonly LiveEvent[], position: FollowedPosition) {
  const passed: string[] = []
  const asked: (string | undefined)[] = []
  const client = {
    async *events({ lastEventId, onOpen }: FollowOptions) {
      asked.push(lastEventId)
      onOpen?.()
      yield* events
    },
    inbox: {
      async *list() {
        yield* inbox.map((id) => ({ id }))
      },
      async get(id: string) {
        if (inbox.includes(id)) return { id } as InboxItem
        throw new NotFoundError({ status: 404, message: 'not found' })
      },
    },
  } as unknown as EventFollowerOptions['client']
  const follower = new EventFollower({
    ...{ client, position, kind: 'received', now: Date.now, signal: new AbortController().signal },
    onReceived: ({ id }) => passed.push(id),
    onState: () => undefined,
    onConnected: () => undefined,
    onInterrupted: () => undefined,
  })
  await follower.run()
  return { passed, asked }
}

test('reports messages that arrive after the first start, and no older messages', async () => {
  const position = new FollowedPosition(undefined)
  expect(await follow(['old'], [], position)).toEqual({ passed: [], asked: [undefined] })
  expect((await follow(['new', 'old'], [received('new', 's.1')], position)).passed).toEqual(['new'])
})

test('continues after the last event, and ignores a repeated message', async () => {
  const position = new FollowedPosition(undefined)
  await follow(['a'], [], position)
  await follow(['b', 'a'], [received('b', 's.1')], position)
  const again = await follow(['c', 'b', 'a'], [received('b', 's.2'), received('c', 's.3')], position)
  expect(again).toEqual({ passed: ['c'], asked: ['s.1'] })
})

test('reads the inbox after a gap in the events, oldest first', async () => {
  const position = new FollowedPosition(undefined)
  await follow(['a'], [], position)
  await follow(['b', 'a'], [received('b', 's.1')], position)
  const { passed } = await follow(['d', 'c', 'b', 'a'], [reset, received('d', 's.10')], position)
  expect(passed).toEqual(['c', 'd'])
})

test('skips a message that was deleted meanwhile', async () => {
  const position = new FollowedPosition(undefined)
  await follow([], [], position)
  expect((await follow(['b'], [received('a', 's.1'), received('b', 's.2')], position)).passed).toEqual(['b'])
  expect(position.lastEventId).toBe('s.2')
})
