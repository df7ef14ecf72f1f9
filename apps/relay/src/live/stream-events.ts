import { type LiveEventKind, liveEventKinds, liveEventsQuery, scopesOfLiveEvent } from '@smsgw/contract/live-event'
import { z } from 'zod'
import { ApiError } from '../http/api-error.ts'
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts'
import { mayDo } from '../http/may-do.ts'
import type { Database } from '../store/database.ts'
import { eventCursor, placeOfCursor } from './event-cursor.ts'
import { EventStream } from './event-stream.ts'
import type { LiveEvents } from './live-events.ts'
import { readLastNumber, readMissedEvents } from './live-events-statement.ts'
import type { Watched } from './watch-statement.ts'

/** Of one account on one relay: browsers have a few each. */
const MOST_STREAMS = 20
/** Who has missed more reads everything anew, which is less work for both. */
const MOST_MISSED = 2_000

export interface StreamEventsNeeds {
  readonly database: Database
  readonly live: LiveEvents
  /** Of the database; another one after a restore. */
  readonly streamId: string
  readonly heartbeatMs?: number | undefined
}

/** Tells what happens in the account, as it happens. */
export function streamEvents(needs: StreamEventsNeeds): Endpoint {
  return endpoint({
    query: liveEventsQuery,
    requestHeaders: { 'Last-Event-ID': 'The `id` of the last event that was read: what came after it is told first' },
    answers: { 200: z.string().meta({ description: 'Server-Sent Events, without an end' }) },
    mediaType: 'text/event-stream',
    async handle({ principal, query, headers, stillMay }) {
      const kinds = kindsFor(principal, query.kinds ?? liveEventKinds)
      if (needs.live.countOf(principal.accountId) >= MOST_STREAMS) throw tooMany()
      const cursor = headers['last-event-id'] || query.lastEventId
      const { accountId } = principal
      const stream = await needs.live.prepare(accountId, async (watched) => {
        const cursorOf = (place: bigint) => eventCursor(needs.streamId, place)
        const { live, heartbeatMs } = needs
        // Others may have come while this one was prepared; from here on it is counted itself.
        if (live.countOf(accountId) >= MOST_STREAMS) throw tooMany()
        const stream = new EventStream({
          live,
          accountId,
          sinceId: watched.sinceId,
          kinds,
          cursorOf,
          stillMay,
          heartbeatMs,
        })
        try {
          if (cursor !== undefined) await resume(needs, stream, watched, cursor)
          return stream
        } catch (error) {
          stream.end()
          throw error
        }
      })
      if (!stream) throw new ApiError(401, 'The account was removed')
      return { status: 200, stream, headers: { 'x-accel-buffering': 'no' } }
    },
  })
}

function kindsFor(principal: Principal, asked: readonly LiveEventKind[]): ReadonlySet<LiveEventKind> {
  const allowed = asked.filter((kind) => scopesOfLiveEvent(kind).some((scope) => mayDo(principal, scope)))
  if (allowed.length > 0) return new Set(allowed)
  throw new ApiError(403, `scope required: ${[...new Set(asked.flatMap(scopesOfLiveEvent))].join(' or ')}`)
}

async function resume(
  { database, streamId }: StreamEventsNeeds,
  stream: EventStream,
  { sinceId }: Watched,
  cursor: string,
): Promise<void> {
  const from = placeOfCursor(streamId, cursor)
  if (from === undefined || from < sinceId || from > (await readLastNumber(database))) {
    stream.reset()
    return
  }
  const span = { after: from, upTo: stream.place }
  const missed = await readMissedEvents(database, stream.accountId, span, MOST_MISSED + 1)
  if (missed.length > MOST_MISSED) stream.reset()
  else stream.resume(from, missed)
}

function tooMany(): ApiError {
  const message = `an account may have ${MOST_STREAMS} streams of events open at once: close one, and try again`
  return new ApiError(429, message, { headers: { 'Retry-After': '5' } })
}
