import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { phoneOf } from './authenticate-phone.ts'
import type { PhoneStreams } from './phone-streams.ts'

/** Streams notices to a phone, so that it needs no push service. */
export function streamNotices({ streams }: { readonly streams: PhoneStreams }): Endpoint {
  return endpoint({
    answers: { 200: z.string() },
    mediaType: 'text/event-stream',
    async handle({ principal }) {
      const stream = streams.open(phoneOf(principal))
      return { status: 200, stream, headers: { 'x-accel-buffering': 'no' } }
    },
  })
}
