import { ApiError, NotFoundError } from '../errors.ts'
import type { FollowOptions, LiveEvent } from './live-events.ts'

export interface GaplessOptions extends FollowOptions {
  /** Opens the stream, as `SmsGateway.events` does. */
  readonly events: (options: FollowOptions) => AsyncGenerator<LiveEvent, void, undefined>
  /**
   * Reads the lists of the API. Called if events may be missing: without `lastEventId`, and after `reset`. The stream
   * is already open at that time, so a change that happens after a list was read is reported as an event.
   */
  readonly catchUp: () => Promise<void>
  /** Called when the stream is open for the first time, before all other work. */
  readonly onStart?: () => Promise<void>
  /** Handles one event, and stores its id as the new position. Later events wait for it. */
  readonly onEvent: (event: LiveEvent) => Promise<void>
}

/**
 * Follows an account from a stored position, and misses no change. Returns when the signal aborts. Closes the stream
 * when it returns or throws.
 */
export async function followWithoutGaps(options: GaplessOptions): Promise<void> {
  const { events, catchUp, onStart, onEvent, signal, ...stream } = options
  // Closes the stream with a signal, because the `return()` of a generator would wait for the next event.
  const closing = new AbortController()
  const close = () => closing.abort(signal?.reason)
  signal?.addEventListener('abort', close, { once: true })
  if (signal?.aborted) close()
  let setOpened: () => void
  const opened = new Promise<void>((resolve) => {
    setOpened = resolve
  })
  const incoming = events({
    ...stream,
    signal: closing.signal,
    onOpen() {
      stream.onOpen?.()
      setOpened()
    },
  })
  const nextEvent = () => {
    const next = incoming.next()
    // Prevents a warning about an unhandled rejection. The await in the loop throws the error.
    next.catch(() => undefined)
    return next
  }
  try {
    let next = nextEvent()
    await Promise.race([opened, next])
    await onStart?.()
    if (stream.lastEventId === undefined) await catchUp()
    for (;;) {
      const { done, value: event } = await next
      if (done || event === undefined) return
      if (event.kind === 'reset') await catchUp()
      await onEvent(event)
      next = nextEvent()
    }
  } finally {
    signal?.removeEventListener('abort', close)
    closing.abort()
  }
}

/** Returns the item. Returns undefined if the item was deleted in the meantime, for example because of its age. */
export async function unlessGone<Item>(answer: Promise<Item>): Promise<Item | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NotFoundError || (error instanceof ApiError && error.status === 410)) return undefined
    throw error
  }
}
