// The notices of one phone as Server-Sent Events. A notice only makes the phone request its work. A lost notice is
// harmless, because the phone also requests its work when it connects.
import type { AnswerSink, AnswerStream } from '../../http/endpoint.ts'
import type { AgentConnection } from '../../link/claim/agent-connection.ts'
import type { PhoneWork } from '../find-phone-work-statement.ts'

/** Proxies often close connections that are silent for 30 or 60 s. */
const KEEPALIVE_MS = 15_000
/** The largest number of unread bytes. A phone that does not read its notices is disconnected and connects again. */
const MOST_UNREAD_BYTES = 65_536
/** Repeats the notice while messages wait, because the phone may have failed to fetch them. */
const REPEAT_MS = 30_000

export type PhoneNotice =
  | { readonly event: 'MessageEnqueued' | 'SettingsUpdated' }
  | { readonly event: 'MessageCancelled' | 'MessagesExportRequested'; readonly data: Readonly<Record<string, string>> }

export interface PhoneStreamDeps {
  readonly connection: AgentConnection
  readonly onEnd: (stream: PhoneStream) => void
}

export class PhoneStream implements AnswerStream {
  readonly connection: AgentConnection
  readonly #deps: PhoneStreamDeps
  readonly #cancelsSent = new Set<string>()
  #messagesSentAt: number | undefined
  #sink: AnswerSink | undefined
  #keepalive: NodeJS.Timeout | undefined
  #isEnded = false

  constructor(deps: PhoneStreamDeps) {
    this.#deps = deps
    this.connection = deps.connection
  }

  /** True if the stream can send notices to the phone. */
  get isOpen(): boolean {
    return this.#sink !== undefined && !this.#isEnded
  }

  begin(sink: AnswerSink): void {
    this.#sink = sink
    if (this.#isEnded) {
      sink.end()
      return
    }
    sink.onClose(() => this.end())
    sink.write(':keepalive\n\n')
    this.#keepalive = setInterval(() => this.#write(':keepalive\n\n'), KEEPALIVE_MS).unref()
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearInterval(this.#keepalive)
    this.#deps.onEnd(this)
    this.#sink?.end()
  }

  /**
   * Sends one notice for each kind of work that the phone has. `isNew`: true if messages arrived after the last notice.
   */
  show(work: PhoneWork | undefined, nowMs: number, isNew: boolean): void {
    if (!this.#sink) return
    if (work?.hasMessages !== true) this.#messagesSentAt = undefined
    else if (isNew || this.#messagesSentAt === undefined || nowMs - this.#messagesSentAt >= REPEAT_MS) {
      this.#messagesSentAt = nowMs
      this.notify({ event: 'MessageEnqueued' })
    }
    const cancelling = new Set(work?.cancelling)
    for (const messageId of cancelling)
      if (!this.#cancelsSent.has(messageId)) this.notify({ event: 'MessageCancelled', data: { messageId } })
    this.#cancelsSent.clear()
    for (const messageId of cancelling) this.#cancelsSent.add(messageId)
  }

  notify(notice: PhoneNotice): void {
    const data = 'data' in notice ? JSON.stringify(notice.data) : 'null'
    this.#write(`event: ${notice.event}\ndata: ${data}\n\n`)
  }

  #write(text: string): void {
    if (this.#isEnded || !this.#sink) return
    if (this.#sink.unreadBytes > MOST_UNREAD_BYTES) this.end()
    else this.#sink.write(text)
  }
}
