import type { SmsGateway } from '@smsgw/client'
import { ConnectionError, InvalidRequestError, NotFoundError } from '@smsgw/client/errors'
import type { FollowOptions, LiveEvent } from '@smsgw/client/live-events'
import type { DeviceDetail, InboxItem, MessageState, SendMessageRequest } from '@smsgw/client/openapi'

type Sent = { readonly key: string; readonly to: readonly string[]; readonly text: string }

const STARTED_AT = '2026-03-01T08:46:11.000Z'

/** The API of one account in memory: what the bridge uses of the client. */
export class TestAccount {
  readonly inbox: InboxItem[] = []
  readonly sent: Sent[] = []
  devices: DeviceDetail[] = []
  isDown = false
  /** The error that the API answers to a message with this text. */
  errorFor: (text: string) => Error | undefined = () => undefined
  /** Called when a stream has been opened. */
  onOpened: () => void = () => undefined
  /** Called when the inbox has been read. */
  onListed: () => void = () => undefined
  readonly #states = new Map<string, MessageState['state']>()
  readonly #events: LiveEvent[] = []
  #arrived = Promise.withResolvers<void>()

  /** Adds a received message. Without an event, the stream has a gap. */
  receive(text: string, { at = new Date(), hasEvent = true } = {}): string {
    const id = `in-${this.inbox.length + 1}`
    const item: InboxItem = {
      id,
      type: 'SMS',
      sender: '+447400123456',
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

  /** Deletes the stored events, as after a long interruption. */
  forgetEvents(): void {
    this.#events.splice(0, this.#events.length, { kind: 'reset', data: {}, id: this.#nextId() })
    this.#arrived.resolve()
  }

  client(): SmsGateway {
    const account = this
    return {
      events: ({ lastEventId, signal, onOpen }: FollowOptions) => account.#follow(lastEventId, signal, onOpen),
      inbox: {
        list: ({ from = '' }: { from?: string } = {}) => ({
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
        send: async (message: Message, { idempotencyKey = '' }: { idempotencyKey?: string } = {}) =>
          account.#send(message, idempotencyKey),
      },
      devices: {
        list: async () => account.#found(account.devices),
        get: async (id: string) => account.#found(account.devices.find((device) => device.id === id)),
      },
    } as unknown as SmsGateway
  }

  #send(message: Message, key: string): MessageState {
    this.#check()
    const error = this.errorFor(message.text)
    if (error !== undefined) throw error
    if (message.to === undefined) throw new InvalidRequestError({ status: 400, message: 'phoneNumbers is empty' })
    const to = typeof message.to === 'string' ? [message.to] : message.to
    if (to.some((number) => !number.startsWith('+')))
      throw new InvalidRequestError({ status: 400, message: 'phoneNumbers[0] is not a valid phone number' })
    const at = this.sent.findIndex((sent) => sent.key === key)
    if (at >= 0) return this.#found(this.#messageOf(`out-${at + 1}`))
    this.sent.push({ key, to, text: message.text })
    this.#states.set(`out-${this.sent.length}`, 'Pending')
    return this.#found(this.#messageOf(`out-${this.sent.length}`))
  }

  #messageOf(id: string): MessageState | undefined {
    const state = this.#states.get(id)
    if (state === undefined) return undefined
    const to = this.sent[Number(id.slice('out-'.length)) - 1]?.to ?? []
    return {
      id,
      deviceId: 'device',
      state,
      isHashed: false,
      isEncrypted: false,
      recipients: to.map((phoneNumber) => ({ phoneNumber, state })),
      states: { Pending: STARTED_AT },
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

type Message = { readonly to?: string | readonly string[]; readonly text: string } & SendMessageRequest
