// The Server-Sent Events stream of one client. Until the response starts, the stream collects events. Then it is open
// and sends the missed events or a `reset`, followed by new events. It ends when the client disconnects, does not read
// or loses access, and when the relay stops. Events are sent only after access was confirmed.
import type { AccessLoss, LiveEventKind, LiveHeartbeat } from '@smsgw/contract/live/live-event'
import { type CallerAccess, LOSS_MESSAGES } from '../http/admissions.ts'
import type { AnswerSink, AnswerStream } from '../http/endpoint.ts'
import type { LiveEvents, LiveListener } from './live-events.ts'
import type { StoredLiveEvent } from './read-live-events-statement.ts'

/** Proxies often close connections that are silent for 30 or 60 s. Clients reconnect after two missing heartbeats. */
const HEARTBEAT_MS = 15_000
/** A client with more unread data than this is disconnected. It resumes from its last event. */
const MOST_UNREAD_BYTES = 1_048_576
const RETRY_MS = 2_000
/**
 * The largest number of events that may wait for the access check. If more events wait, the stream ends and the client
 * resumes.
 */
const MOST_WAITING = 10_000
/** Interval of access checks while the database is unavailable. */
const CHECK_AGAIN_MS = 500

export interface EventStreamDeps {
  readonly live: Pick<LiveEvents, 'listen' | 'place'>
  readonly accountId: string
  /** The number after which every change of the account is recorded as an event. */
  readonly sinceId: bigint
  readonly kinds: ReadonlySet<LiveEventKind>
  readonly cursorOf: (place: bigint) => string
  readonly access: Pick<CallerAccess, 'lost' | 'onLost'>
  readonly mostUnreadBytes?: number | undefined
}

export class EventStream implements AnswerStream, LiveListener {
  readonly accountId: string
  readonly #deps: EventStreamDeps
  readonly #unlisten: () => void
  /** Events up to this number are not sent, because the client already has them or gets them from `resume`. */
  #place: bigint
  /** Events to send before all others. */
  #first: readonly string[] = []
  #gathered: StoredLiveEvent[] = []
  /** Events that are not yet written. */
  #waiting: string[] = []
  #isWriting = false
  #sink: AnswerSink | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #checkAgain: NodeJS.Timeout | undefined
  #unwatch: () => void = () => undefined
  #isEnded = false

  constructor(deps: EventStreamDeps) {
    this.#deps = deps
    this.accountId = deps.accountId
    this.#place = later(deps.live.place, deps.sinceId)
    this.#unlisten = deps.live.listen(this)
  }

  /** The number of the last event before this stream started. */
  get place(): bigint {
    return this.#place
  }

  /**
   * Continues after `from`, the last event that the client has. `missed` are the events between `from` and the start of
   * this stream.
   */
  resume(from: bigint, missed: readonly StoredLiveEvent[]): void {
    this.#place = later(from, this.#place)
    this.#first = missed.filter(({ kind }) => this.#deps.kinds.has(kind)).map((event) => this.#textOf(event))
  }

  /** Makes the client reload everything, because its cursor is too old. */
  reset(): void {
    this.#first = [`id: ${this.#deps.cursorOf(this.#place)}\nevent: reset\ndata: {}\n\n`]
  }

  deliver(event: StoredLiveEvent): void {
    if (event.id <= this.#place) return
    if (!this.#sink) this.#gathered.push(event)
    else if (this.#deps.kinds.has(event.kind)) this.#add(this.#textOf(event))
  }

  begin(sink: AnswerSink): void {
    this.#sink = sink
    if (this.#isEnded) {
      sink.end()
      return
    }
    sink.onClose(() => this.end())
    // A client may store the cursor as soon as it reads it. If it then lost the connection, it would never get the
    // missed events or the `reset`. So these come first, each with its own cursor.
    const cursor = this.#first.length === 0 ? `id: ${this.#deps.cursorOf(this.#place)}\n` : ''
    this.#write(`retry: ${RETRY_MS}\n${cursor}\n`)
    this.#write(this.#heartbeatText())
    this.#unwatch = this.#deps.access.onLost((loss) => this.#lose(loss))
    for (const text of this.#first) this.#add(text)
    for (const event of this.#gathered.splice(0)) this.deliver(event)
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref()
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#unlisten()
    this.#unwatch()
    clearInterval(this.#heartbeat)
    clearTimeout(this.#checkAgain)
    this.#sink?.end()
  }

  /**
   * Sends the present cursor, so that the cursor of an idle client does not become older than the kept events. No
   * heartbeat is sent while events wait, because a client that resumed from the cursor of the heartbeat would miss
   * these events. Without heartbeats the client notices that it is not up to date.
   */
  #beat(): void {
    if (this.#waiting.length > 0) return
    const place = later(this.#deps.live.place, this.#place)
    this.#write(`id: ${this.#deps.cursorOf(place)}\n${this.#heartbeatText()}`)
  }

  /** The heartbeat is an event and not a comment, because programs in a browser cannot see comments. */
  #heartbeatText(): string {
    const data: LiveHeartbeat = { intervalSeconds: HEARTBEAT_MS / 1_000 }
    return `event: heartbeat\ndata: ${JSON.stringify(data)}\n\n`
  }

  #add(text: string): void {
    if (this.#isEnded) return
    this.#waiting.push(text)
    if (this.#waiting.length > MOST_WAITING) this.end()
    else void this.#writeWaiting()
  }

  /** Writes all waiting events after one access check, which nearly always needs no query. */
  async #writeWaiting(): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    try {
      while (this.#waiting.length > 0 && !this.#isEnded) {
        const loss = await this.#deps.access.lost()
        if (loss !== undefined) this.#lose(loss)
        else for (const text of this.#waiting.splice(0)) this.#write(text)
      }
    } catch {
      this.#checkAgain = setTimeout(() => void this.#writeWaiting(), CHECK_AGAIN_MS).unref()
    } finally {
      this.#isWriting = false
    }
  }

  /** Sends the reason, so that the client signs in again before it reconnects. */
  #lose(loss: AccessLoss): void {
    this.#write(`event: end\ndata: ${JSON.stringify({ code: loss, message: LOSS_MESSAGES[loss] })}\n\n`)
    this.end()
  }

  #write(text: string): void {
    if (this.#isEnded || !this.#sink) return
    if (this.#sink.unreadBytes > (this.#deps.mostUnreadBytes ?? MOST_UNREAD_BYTES)) this.end()
    else this.#sink.write(text)
  }

  #textOf({ id, kind, data }: StoredLiveEvent): string {
    return `id: ${this.#deps.cursorOf(id)}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
  }
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
