import { expect, test } from 'vitest'
import { ChannelState } from './channel-state.ts'

test('a channel works when all its parts work, and reports the start of its state', () => {
  let now = 0
  const state = new ChannelState(
    'mqtt',
    { broker: 'not connected to the broker', api: 'not connected to the API' },
    () => now,
  )
  expect(state.report().problem).toBe('not connected to the broker; not connected to the API')
  now = 1_000
  state.set('broker', undefined)
  expect(state.report()).toEqual({ name: 'mqtt', problem: 'not connected to the API', since: new Date(0) })
  now = 2_000
  state.set('api', undefined)
  now = 3_000
  state.set('api', undefined)
  expect(state.report()).toEqual({ name: 'mqtt', problem: undefined, since: new Date(2_000) })
  now = 4_000
  state.set('broker', 'connection closed')
  expect(state.report()).toEqual({ name: 'mqtt', problem: 'connection closed', since: new Date(4_000) })
})
