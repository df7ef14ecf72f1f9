import { TimeoutError } from '../errors.ts'
import { Paginated } from '../http/paginated.ts'
import { pause } from '../http/retry.ts'
import type { CallOptions, Transport } from '../http/transport.ts'
import { randomKey } from '../http/web-crypto.ts'
import type { MessageState, operations, SendMessageRequest, Timeline } from '../openapi.ts'

/** A text to one or several numbers. All other members of a message may be added. */
export interface NewText extends Omit<SendMessageRequest, ContentMember> {
  readonly to: string | readonly string[]
  readonly text: string
}

type ContentMember = 'phoneNumbers' | 'recipient' | 'textMessage' | 'dataMessage' | 'message' | 'mmsMessage'

export interface SendOptions extends CallOptions, SendQuery {
  /**
   * Requests with the same key send only one message. Default: a random key for each call. Retries of a call use the
   * same key.
   */
  readonly idempotencyKey?: string | undefined
}

type SendQuery = NonNullable<operations['postMessages']['parameters']['query']>
type GetQuery = NonNullable<operations['getMessagesById']['parameters']['query']>
type ListQuery = NonNullable<operations['getMessages']['parameters']['query']>

export interface GetOptions extends CallOptions, GetQuery {}

export interface WaitOptions extends CallOptions {
  /**
   * The state to wait for. `sent`: the message is sent or has ended for every recipient. `ended` (default): it is
   * delivered, failed or cancelled for every recipient.
   */
  readonly until?: 'sent' | 'ended'
  /** The time limit for the whole wait, in milliseconds. Default: 300 000. */
  readonly timeoutMs?: number
}

const ENDED: readonly MessageState['state'][] = ['Delivered', 'Failed', 'Cancelled']
const WAIT_MS = 300_000
const FIRST_POLL_MS = 250
const LONGEST_POLL_MS = 5_000

/** Sent messages. */
export class Messages {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Accepts a message and sends it as soon as possible. The call is repeated after network errors without sending the
   * message twice.
   */
  async send(message: NewText | SendMessageRequest, options: SendOptions = {}): Promise<MessageState> {
    const { idempotencyKey = await randomKey(), signal, timeoutMs, ...query } = options
    const { body } = await this.#transport.send<MessageState>({
      method: 'POST',
      path: '/messages',
      query,
      body: 'to' in message ? requestOf(message) : message,
      headers: { 'idempotency-key': idempotencyKey },
      isIdempotent: true,
      signal,
      timeoutMs,
    })
    return body
  }

  /** Lists messages, newest first. */
  list(query: ListQuery = {}, options?: CallOptions): Paginated<MessageState> {
    return new Paginated(this.#transport, '/messages', query, options)
  }

  /** Reads a message with its content, and with the data of MMS attachments unless `includeAttachmentData` is false. */
  async get(id: string, { includeAttachmentData, ...options }: GetOptions = {}): Promise<MessageState> {
    const query = { includeAttachmentData }
    return (await this.#transport.send<MessageState>({ method: 'GET', path: pathOf(id), query, ...options })).body
  }

  /** Cancels a message that has not been sent. Throws a ConflictError if it is too late. */
  async cancel(id: string, options?: CallOptions): Promise<MessageState> {
    return (await this.#transport.send<MessageState>({ method: 'DELETE', path: pathOf(id), ...options })).body
  }

  /** Lists the events of a message, oldest first. */
  async timeline(id: string, options?: CallOptions): Promise<Timeline['entries']> {
    const path = `${pathOf(id)}/timeline`
    return (await this.#transport.send<Timeline>({ method: 'GET', path, ...options })).body.entries
  }

  /**
   * Waits until a message has ended for every recipient, and returns it. A message can end as `Failed` or `Cancelled`,
   * so check the states. Throws a TimeoutError if the message has not ended in time.
   */
  async waitFor(id: string, { until = 'ended', timeoutMs = WAIT_MS, signal }: WaitOptions = {}): Promise<MessageState> {
    const end = performance.now() + timeoutMs
    const reached = until === 'sent' ? [...ENDED, 'Sent'] : ENDED
    for (let interval = FIRST_POLL_MS; ; interval = Math.min(interval * 1.5, LONGEST_POLL_MS)) {
      const message = await this.get(id, { signal, includeAttachmentData: false })
      if (message.recipients.every(({ state }) => reached.includes(state))) return message
      const left = end - performance.now()
      if (left <= 0)
        throw new TimeoutError(`message ${id} is still ${message.state} after ${Math.round(timeoutMs / 1000)} s`)
      await pause(Math.min(interval * (0.75 + Math.random() / 4), left), signal)
    }
  }
}

function requestOf({ to, text, ...rest }: NewText): SendMessageRequest {
  return { ...rest, phoneNumbers: typeof to === 'string' ? [to] : [...to], textMessage: { text } }
}

function pathOf(id: string): string {
  return `/messages/${encodeURIComponent(id)}`
}
