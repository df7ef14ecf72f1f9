import { expect, test } from 'vitest'
import { type ScriptedAnswer, scriptedServer } from '../../testing/scripted-server.ts'
import { SmsGateway } from '../client.ts'
import { followWithoutGaps, type GaplessOptions } from './follow-without-gaps.ts'

const EVENT = 'id: s.1\nevent: message.changed\ndata: {"id":"m1","state":"Sent"}\n\n'

/** Follows a stream that stays open. `closed` resolves when the connection of the stream is closed. */
async function follow(options: Partial<GaplessOptions>) {
  const closed = Promise.withResolvers<void>()
  const open: ScriptedAnswer = (response) => {
    response.on('close', closed.resolve)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(EVENT)
  }
  const { url } = await scriptedServer(open)
  const sms = new SmsGateway({ url, credentials: { apiKey: 'key' } })
  const nothing = async () => undefined
  const events: GaplessOptions['events'] = (more) => sms.events(more)
  return { following: followWithoutGaps({ events, catchUp: nothing, onEvent: nothing, ...options }), closed }
}

test.each(['onStart', 'catchUp', 'onEvent'] as const)('closes the stream if %s fails', async (name) => {
  const fail = () => Promise.reject(new Error('disk full'))
  const { following, closed } = await follow({ [name]: fail })
  await expect(following).rejects.toThrow('disk full')
  await closed.promise
})

test('a signal that aborts while an event is handled ends the iteration without an error', async () => {
  const controller = new AbortController()
  const { following, closed } = await follow({
    signal: controller.signal,
    onEvent: async () => controller.abort(),
  })
  await following
  await closed.promise
})
