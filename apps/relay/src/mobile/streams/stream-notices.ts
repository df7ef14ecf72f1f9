import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import type { Database } from '../../store/database.ts'
import { phoneOf } from '../authenticate-phone.ts'
import { markStreaming } from '../fcm/phone-push.ts'
import type { PhoneStreams } from './phone-streams.ts'

/** Streams notices to a phone, which then needs no push service. */
export function streamNotices({
  streams,
  database,
  clock,
}: {
  readonly streams: PhoneStreams
  readonly database: Database
  readonly clock: Clock
}): Endpoint {
  return endpoint({
    answers: { 200: z.string() },
    mediaType: 'text/event-stream',
    async handle({ principal }) {
      const phone = phoneOf(principal)
      await markStreaming(database, [phone.deviceId], clock.now())
      const stream = streams.open(phone)
      return { status: 200, stream, headers: { 'x-accel-buffering': 'no' } }
    },
  })
}
