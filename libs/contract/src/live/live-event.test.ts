import { expect, test } from 'vitest'
import { liveEventKinds, liveEventsQuery } from './live-event.ts'

test('the problem of an unknown kind of event lists the known kinds', () => {
  const [issue] = liveEventsQuery.safeParse({ kinds: `${liveEventKinds[0]}, moon.rise` }).error?.issues ?? []
  expect(issue).toMatchObject({ path: ['kinds', 1], message: `must be one of ${liveEventKinds.join(', ')}` })
})
