import type { SmsGateway } from '@smsgw/client'
import { ConflictError, ConnectionError, InvalidRequestError, NotFoundError } from '@smsgw/client/errors'
import type { FollowOptions, LiveEvent } from '@smsgw/client/live-events'
import type { SendOptions } from '@smsgw/client/messages'
import type { Device, DeviceDetail, InboxItem, MessageState, Problem, SendMessageRequest } from '@smsgw/client/openapi'

interface Sent {
  readonly id: string
  readonly key: string
  readonly to: readonly string[]
  readonly text: string
  readonly request: Message
}

const STARTED_AT = '2026-03-01T08:46:11.000Z'

/** The API of one account in memory, with the functions of the client that the bridge uses. */
export class ScriptedAccount {
  readonly inbox: InboxItem[] = []
  readonly sent: Sent[] = []
  devices: (DeviceDetail | Device)[] = []
  isDown = false
  /** The error with which the API answers a message with this text. */
  errorFor: (text: string) => Error | undefined = () => undefined
  /** Delays the answers to messages with recipients. */
  beforeSend: Promise<void> = Promise.resolve()
  isSending = false
  /** Delays the answers to messages without recipients, which check a login. */
  beforeCheck: Promise<void> = Promise.resolve()
  /** Called when a stream has been opened. */
  onOpened: () => void = () => undefined
  /** Called when the inbox has been read. */
  onListed: () => void = () => undefined
  readonly #states = new Map<string, MessageState['state']>()
  readonly #events: LiveEvent[] = []
  #arrived = Promise.withResolvers<void>()

  /** The relay's time, which does not depend on the system clock. */
  now(): number {
    return performance.timeOrigin + performance.now()
  }

  /** Adds a received message. Without an event, the stream has a gap. */
  receive(text: string, { at = new Date(this.now()), hasEvent = true, sender = '+447400123456' } = {}): string {
    const id = `in-${this.inbox.length + 1}`
    const item: InboxItem = {
      id,
      type: 'SMS',
      sender,
      contentPreview: text,
      text,
      isEncrypted: false,
      createdAt: at.toISOString(),
      deviceId: 'device',
    }
    this.inbox.push(item)
    if (hasEvent)
      this.#emit({ kind: 'inbox.received', data: { id, sender: item.sender, type: 'SMS' }, id: this.#nextId() })
    return id
  }

  setState(id: string, state: MessageState['state']): void {
    this.#states.set(id, state)
    this.#emit({ kind: 'message.changed', data: { id, state }, id: this.#nextId() })
  }

  /** Deletes the stored live events, as during a long interruption. */
  forgetEvents(): void {
    this.#events.splice(0, this.#events.length, { kind: 'reset', data: {}, id: this.#nextId() })
    this.#arrived.resolve()
  }

  client(): SmsGateway {
    const account = this
    return {
      request: async () => {
        account.#check()
        return { body: {}, headers: new Headers({ date: new Date(account.now()).toUTCString() }) }
      },
      events: ({ lastEventId, signal, onOpen }: FollowOptions) => account.#follow(lastEventId, signal, onOpen),
      inbox: {
        list: ({ from = '' }: { from?: string } = {}) => ({
          async page() {
            account.#check()
            return { items: [] }
          },
          async *[Symbol.asyncIterator]() {
            account.#check()
            yield* account.inbox.filter(({ createdAt }) => createdAt >= from).reverse()
            account.onListed()
          },
        }),
        get: async (id: string) => account.#found(account.inbox.find((item) => item.id === id)),
      },
      messages: {
        get: async (id: string) => account.#found(account.#messageOf(id)),
        send: async (message: Message, options: SendOptions = {}) =>
          account.#sendAfter(account.beforeSend, message, options),
        cancel: async (id: string) => account.#cancel(id),
      },
      devices: {
        list: async () => account.#found(account.devices),
        get: async (id: string) => account.#found(account.devices.find((device) => device.id === id)),
      },
    } as unknown as SmsGateway
  }

  async #sendAfter(before: Promise<void>, message: Message, options: SendOptions): Promise<MessageState> {
    if (message.phoneNumbers === undefined || message.phoneNumbers.length > 0) {
      this.isSending = true
      await before
      this.isSending = false
    } else await this.beforeCheck
    return this.#send(message, options)
  }

  #send(message: Message, options: SendOptions): MessageState {
    const { idempotencyKey: key = '', skipPhoneValidation = false, allowShortCodes = false } = options
    this.#check()
    const text = message.text ?? message.textMessage?.text ?? message.dataMessage?.data ?? ''
    const error = this.errorFor(text)
    if (error !== undefined) throw error
    const to = typeof message.to === 'string' ? [message.to] : (message.to ?? message.phoneNumbers ?? [])
    if (to.length === 0) throw new InvalidRequestError({ status: 400, message: 'phoneNumbers is empty' })
    // The numbering plan of +1 has no area code 999.
    const isValid = (number: string) => /^\+(?!1999)/.test(number) || (allowShortCodes && /^\d{3,6}$/.test(number))
    if (!skipPhoneValidation && !to.every(isValid))
      throw new InvalidRequestError({
        status: 400,
        message: 'phoneNumbers[0] is not a valid phone number',
        problem: {
          errors: [{ path: 'phoneNumbers[0]', message: 'is not a valid phone number' }],
        } as unknown as Problem,
      })
    const before = this.sent.find((sent) => sent.key === key)
    if (before !== undefined) return this.#found(this.#messageOf(before.id))
    const id = message.id ?? `out-${this.sent.length + 1}`
    this.sent.push({ id, key, to, text, request: message })
    this.#states.set(id, 'Pending')
    return this.#found(this.#messageOf(id))
  }

  #cancel(id: string): MessageState {
    const { state } = this.#found(this.#messageOf(id))
    if (state !== 'Pending') throw new ConflictError({ status: 409, message: 'nothing is left to cancel' })
    this.setState(id, 'Cancelled')
    return this.#found(this.#messageOf(id))
  }

  #messageOf(id: string): MessageState | undefined {
    const state = this.#states.get(id)
    if (state === undefined) return undefined
    const { to = [], text = '' } = this.sent.find((sent) => sent.id === id) ?? {}
    return {
      id,
      deviceId: 'device',
      state,
      isHashed: false,
      isEncrypted: false,
      recipients: to.map((phoneNumber) => ({ phoneNumber, state })),
      states: { Pending: STARTED_AT, [state]: STARTED_AT },
      textMessage: { text },
      createdAt: STARTED_AT,
    }
  }

  #found<Item>(item: Item | undefined): Item {
    this.#check()
    if (item === undefined) throw new NotFoundError({ status: 404, message: 'not found' })
    return item
  }

  #check(): void {
    if (this.isDown) throw new ConnectionError('cannot reach the API')
  }

  #nextId(): string {
    this.#count += 1
    return `stream.${this.#count}`
  }
  #count = 0

  #emit(event: LiveEvent): void {
    this.#events.push(event)
    this.#arrived.resolve()
  }

  async *#follow(
    lastEventId: string | undefined,
    signal: AbortSignal | undefined,
    onOpen: (() => void) | undefined,
  ): AsyncGenerator<LiveEvent, void, undefined> {
    this.#check()
    const numberOf = (id = 'stream.0') => Number(id.split('.')[1])
    let reached = lastEventId === undefined ? this.#count : numberOf(lastEventId)
    onOpen?.()
    this.onOpened()
    const aborted = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
    while (!signal?.aborted) {
      this.#arrived = Promise.withResolvers()
      for (const event of this.#events.filter(({ id }) => numberOf(id) > reached)) {
        reached = numberOf(event.id)
        yield event
      }
      await Promise.race([this.#arrived.promise, aborted])
      this.#check()
    }
  }
}

type Message = { readonly to?: string | readonly string[]; readonly text?: string } & SendMessageRequest
