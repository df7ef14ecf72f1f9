// The events of one watcher, as Server-Sent Events. Gathering, until the answer has begun; then open: events that were
// missed first, or a `reset`, and the others as they happen. Ended by the caller, by the relay, when the caller may not
// watch any more, or when it does not read what it is sent.
import type { LiveEventKind } from '@smsgw/contract/live-event'
import type { AnswerSink, AnswerStream } from '../http/endpoint.ts'
import type { LiveEvent } from './live-event.ts'
import type { Listener, LiveEvents } from './live-events.ts'

/** Proxies close what is silent for longer; often after 30 or 60 s. */
const HEARTBEAT_MS = 15_000
/** What a caller leaves unread before it is cut off: it comes back and reads on from where it was. */
const MOST_UNREAD_BYTES = 1_048_576
const RETRY_MS = 2_000

export interface EventStreamNeeds {
  readonly live: Pick<LiveEvents, 'listen' | 'place'>
  readonly accountId: string
  /** There are none of this account before. */
  readonly sinceId: bigint
  readonly kinds: ReadonlySet<LiveEventKind>
  readonly cursorOf: (place: bigint) => string
  readonly stillMay: () => Promise<boolean>
  readonly heartbeatMs?: number | undefined
  readonly mostUnreadBytes?: number | undefined
}

export class EventStream implements AnswerStream, Listener {
  readonly accountId: string
  readonly #needs: EventStreamNeeds
  readonly #unlisten: () => void
  /** Events up to here are not told: the caller has them, or is told of them otherwise. */
  #place: bigint
  /** What goes before the events. */
  #first: readonly string[] = []
  #gathered: LiveEvent[] = []
  #sink: AnswerSink | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #isEnded = false

  constructor(needs: EventStreamNeeds) {
    this.#needs = needs
    this.accountId = needs.accountId
    this.#place = later(needs.live.place, needs.sinceId)
    this.#unlisten = needs.live.listen(this)
  }

  /** Where it begins. */
  get place(): bigint {
    return this.#place
  }

  /** The caller has had everything up to there; these came between that and the beginning. */
  resume(from: bigint, missed: readonly LiveEvent[]): void {
    this.#place = later(from, this.#place)
    this.#first = missed.filter(({ kind }) => this.#needs.kinds.has(kind)).map((event) => this.#textOf(event))
  }

  /** What the caller has is too old: it is to read everything anew. */
  reset(): void {
    this.#first = ['event: reset\ndata: {}\n\n']
  }

  tell(event: LiveEvent): void {
    if (event.id <= this.#place) return
    if (!this.#sink) this.#gathered.push(event)
    else if (this.#needs.kinds.has(event.kind)) this.#write(this.#textOf(event))
  }

  begin(sink: AnswerSink): void {
    this.#sink = sink
    if (this.#isEnded) {
      sink.end()
      return
    }
    sink.onClose(() => this.end())
    this.#write(`retry: ${RETRY_MS}\nid: ${this.#needs.cursorOf(this.#place)}\n\n${this.#first.join('')}`)
    for (const event of this.#gathered.splice(0)) this.tell(event)
    this.#heartbeat = setInterval(() => void this.#beat(), this.#needs.heartbeatMs ?? HEARTBEAT_MS).unref()
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#unlisten()
    clearInterval(this.#heartbeat)
    this.#sink?.end()
  }

  /** Says where we are too, so that a quiet watcher does not fall behind what is kept. */
  async #beat(): Promise<void> {
    if (!(await this.#needs.stillMay())) this.end()
    const place = later(this.#needs.live.place, this.#place)
    this.#write(`: still here\nid: ${this.#needs.cursorOf(place)}\n\n`)
  }

  #write(text: string): void {
    if (this.#isEnded || !this.#sink) return
    if (this.#sink.unreadBytes > (this.#needs.mostUnreadBytes ?? MOST_UNREAD_BYTES)) this.end()
    else this.#sink.write(text)
  }

  #textOf({ id, kind, data }: LiveEvent): string {
    return `id: ${this.#needs.cursorOf(id)}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
  }
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
