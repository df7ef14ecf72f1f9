import { type LiveEventKind, liveEventKinds, liveEventsQuery, scopesOfLiveEvent } from '@smsgw/contract/live/live-event'
import { z } from 'zod'
import { type Endpoint, endpoint, type Principal } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { mayDo, scopeRequired } from '../http/may-do.ts'
import type { Database } from '../store/database.ts'
import { EventStream } from './event-stream.ts'
import type { LiveEvents } from './live-events.ts'
import { readLastNumber, readMissedEvents } from './read-live-events-statement.ts'
import type { Watched } from './watch-account-statement.ts'

/** The largest number of streams per account and relay. A browser opens a few streams. */
const MOST_STREAMS = 20
/**
 * The largest number of missed events that are sent. A client that missed more events reloads everything, because that
 * is faster.
 */
const MOST_MISSED = 2_000

export interface StreamEventsDeps {
  readonly database: Database
  readonly live: LiveEvents
  /** Identifies the database. A restore changes this id. */
  readonly streamId: string
}

/** Streams the events of the account as they happen. */
export function streamEvents(deps: StreamEventsDeps): Endpoint {
  return endpoint({
    query: liveEventsQuery,
    answers: { 200: z.string().meta({ description: 'An endless stream of Server-Sent Events' }) },
    mediaType: 'text/event-stream',
    async handle({ principal, query, headers, access }) {
      const kinds = kindsFor(principal, query.kinds ?? liveEventKinds)
      if (deps.live.countOf(principal.accountId) >= MOST_STREAMS) throw tooMany()
      const cursor = headers['last-event-id'] || query.lastEventId
      const { accountId } = principal
      const stream = await deps.live.prepare(accountId, async (watched) => {
        const cursorOf = (place: bigint) => eventCursor(deps.streamId, place)
        const { live } = deps
        // Checks again, because other streams may have opened in the meantime. From now on, this stream is also
        // counted.
        if (live.countOf(accountId) >= MOST_STREAMS) throw tooMany()
        const stream = new EventStream({
          live,
          accountId,
          sinceId: watched.sinceId,
          kinds,
          cursorOf,
          access,
        })
        try {
          if (cursor !== undefined) await resume(deps, stream, watched, cursor)
          return stream
        } catch (error) {
          stream.end()
          throw error
        }
      })
      if (!stream) throw new ApiError(401, 'The account was deleted')
      return { status: 200, stream, headers: { 'x-accel-buffering': 'no' } }
    },
  })
}

function kindsFor(principal: Principal, requested: readonly LiveEventKind[]): ReadonlySet<LiveEventKind> {
  const allowed = requested.filter((kind) => scopesOfLiveEvent(kind).some((scope) => mayDo(principal, scope)))
  if (allowed.length > 0) return new Set(allowed)
  throw scopeRequired(...new Set(requested.flatMap(scopesOfLiveEvent)))
}

async function resume(
  { database, streamId }: StreamEventsDeps,
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
  const message = `The account already has ${MOST_STREAMS} open event streams, the maximum: close one and try again`
  return new ApiError(429, message, { headers: { 'Retry-After': '5' } })
}

/**
 * Returns the cursor of an event. The cursor contains the database and the number, because a restored database assigns
 * some numbers again.
 */
export function eventCursor(streamId: string, place: bigint): string {
  return `${streamId.slice(0, LENGTH)}.${place}`
}

/** Returns the number of the event, or undefined when the cursor belongs to another database. */
function placeOfCursor(streamId: string, cursor: string): bigint | undefined {
  const [, number] = /^[\w-]+\.(\d{1,18})$/.exec(cursor) ?? []
  return number !== undefined && cursor.startsWith(`${streamId.slice(0, LENGTH)}.`) ? BigInt(number) : undefined
}

const LENGTH = 8
