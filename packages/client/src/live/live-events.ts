import { ApiError, AuthenticationError, ConnectionError, SmsGatewayError } from '../errors.ts'
import { pause } from '../http/retry.ts'
import type { Transport } from '../http/transport.ts'
import type { InboxItem, MessageState, WebhookDelivery } from '../openapi.ts'
import { EventStreamParser, type StreamEvent } from './event-stream-parser.ts'

/** The data of each kind of event, which tells the program what to read again. */
export interface LiveEventData {
  'message.created': { id: string }
  'message.changed': { id: string; state: MessageState['state'] }
  'inbox.received': { id: string; sender: string; type: InboxItem['type'] }
  'conversation.changed': { number: string }
  'labels.changed': Record<string, never>
  'device.changed': { id: string }
  'device.telemetry': { id: string }
  'device.waiting': { id: string }
  'webhook.attempted': { webhookId: string; deliveryId: string; state: WebhookDelivery['state'] }
  'webhook.changed': { id: string }
  'log.added': { id: number; priority: string; module: string; message: string }
  'settings.changed': Record<string, never>
}

export type LiveEventKind = keyof LiveEventData

/** `reset` means that events may have been missed, so the program must read all its data again. */
export type LiveEvent =
  | { [Kind in LiveEventKind]: { kind: Kind; data: LiveEventData[Kind]; id: string | undefined } }[LiveEventKind]
  | { kind: 'reset'; data: Record<string, never>; id: string | undefined }

export interface FollowOptions {
  /** The kinds of events. Default: every kind that the credentials allow. */
  readonly kinds?: readonly LiveEventKind[]
  /** The `id` of the event after which the stream continues. */
  readonly lastEventId?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Called each time the stream is opened. All changes after this call are reported. */
  readonly onOpen?: () => void
  /** Called when the stream is interrupted and will be opened again. */
  readonly onInterrupted?: (error: SmsGatewayError) => void
}

/** The longest silence. The gateway sends at least a heartbeat every 15 s. */
const SILENCE_MS = 45_000
const FIRST_DELAY_MS = 500
/** When a stream has been open for this time, the number of failures starts again at 0. */
const STABLE_MS = 5_000
const LONGEST_DELAY_MS = 30_000

/** Yields events endlessly, and opens the stream again after each interruption. */
export async function* followEvents(
  transport: Transport,
  { kinds, lastEventId, signal, onOpen, onInterrupted }: FollowOptions = {},
): AsyncGenerator<LiveEvent, void, undefined> {
  const place = { lastId: lastEventId }
  for (let failures = 0; !signal?.aborted; ) {
    const stream = new AbortController()
    const stop = () => stream.abort(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    let openedAt = Number.POSITIVE_INFINITY
    try {
      const response = await transport.open({
        method: 'GET',
        path: '/events',
        query: { kinds: kinds?.join(',') },
        headers: place.lastId === undefined ? {} : { 'last-event-id': place.lastId },
        signal: stream.signal,
      })
      openedAt = performance.now()
      onOpen?.()
      yield* eventsIn(response, place, stream.signal)
      throw new ConnectionError('the stream of events ended')
    } catch (error) {
      if (signal?.aborted) return
      if (performance.now() - openedAt > STABLE_MS) failures = 0
      const wait = delayOf(error, failures)
      if (wait === undefined) throw error
      onInterrupted?.(error as SmsGatewayError)
      failures += 1
      await pause(wait, signal).catch((reason: unknown) => {
        if (!signal?.aborted) throw reason
      })
    } finally {
      signal?.removeEventListener('abort', stop)
      stream.abort()
    }
  }
}

/** Yields the events of one response until it ends. Keeps the last id in `place`. */
async function* eventsIn(
  response: Response,
  place: { lastId: string | undefined },
  signal: AbortSignal,
): AsyncGenerator<LiveEvent, void, undefined> {
  const parser = new EventStreamParser()
  for await (const text of textsOf(response, signal)) {
    for (const event of parser.push(text)) {
      if (event.event === 'end') throw new StreamEndedError(event)
      const live = liveEventOf(event)
      place.lastId = event.id ?? place.lastId
      if (live !== undefined) yield live
    }
    place.lastId = parser.lastId ?? place.lastId
  }
}

/**
 * Yields the body as it arrives. Ends when the body ends, when the signal aborts, or when no data arrives for too long.
 */
async function* textsOf(response: Response, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) throw new ConnectionError('the stream of events has no body')
  const decoder = new TextDecoder()
  const stop = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    for (;;) {
      const silence = setTimeout(stop, SILENCE_MS)
      const { done, value } = await reader.read().finally(() => clearTimeout(silence))
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } catch (cause) {
    throw new ConnectionError('the stream of events was interrupted', { cause })
  } finally {
    stop()
  }
}

/** Returns events of all kinds, including kinds that are newer than this package, but not the heartbeat. */
function liveEventOf({ id, event, data }: StreamEvent): LiveEvent | undefined {
  return event === 'heartbeat' ? undefined : ({ kind: event, data: JSON.parse(data), id } as LiveEvent)
}

/** The credentials have lost access while the stream was open. */
class StreamEndedError extends SmsGatewayError {
  readonly code: string

  constructor({ data }: StreamEvent) {
    const { code, message } = JSON.parse(data) as { code: string; message: string }
    super(message)
    this.code = code
  }
}

/** Returns the pause before the stream is opened again, or undefined if another attempt would not help. */
function delayOf(error: unknown, failures: number): number | undefined {
  // Tries again at once, because a token can be refreshed. If it cannot be refreshed, the next attempt is answered with
  // 401.
  if (error instanceof StreamEndedError && failures === 0) return 0
  if (!(error instanceof SmsGatewayError) || error instanceof AuthenticationError) return undefined
  if (error instanceof ApiError && error.status < 500 && error.status !== 429 && error.status !== 408) return undefined
  const demanded = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
  const backOff = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures)
  return demanded + backOff * (0.5 + Math.random() / 2)
}
