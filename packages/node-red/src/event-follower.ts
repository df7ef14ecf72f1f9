import type { SmsGateway } from '@smsgw/client'
import type { SmsGatewayError } from '@smsgw/client/errors'
import { followWithoutGaps, unlessGone } from '@smsgw/client/follow-without-gaps'
import type { InboxItem, MessageState } from '@smsgw/client/openapi'
import type { FollowedPosition } from './followed-position.ts'

/**
 * After a gap, the inbox is read from this long before the gap. A message has the time of the network, which may be
 * days before its arrival.
 */
const LATE_MS = 7 * 86_400_000

export interface EventFollowerOptions {
  readonly client: Pick<SmsGateway, 'events' | 'inbox' | 'messages'>
  readonly position: FollowedPosition
  readonly kind: 'received' | 'states'
  readonly signal: AbortSignal
  readonly now: () => number
  readonly onReceived: (item: InboxItem) => void
  readonly onState: (message: MessageState) => void
  readonly onConnected: () => void
  readonly onInterrupted: (error: SmsGatewayError) => void
}

/**
 * Follows the live events of an account and stores its position after each event. After a gap, such as a long
 * interruption, received messages are read from the inbox. States of sent messages that changed during a gap are not
 * reported.
 */
export class EventFollower {
  readonly #options: EventFollowerOptions

  constructor(options: EventFollowerOptions) {
    this.#options = options
  }

  /** Runs until the signal aborts. Throws if an error occurs that a repetition would not solve. */
  async run(): Promise<void> {
    const { client, position, kind, signal, now, onConnected, onInterrupted } = this.#options
    if (position.reachedAt === undefined) await this.#skipOlder()
    await followWithoutGaps({
      events: (options) => client.events(options),
      kinds: [kind === 'received' ? 'inbox.received' : 'message.changed'],
      lastEventId: position.lastEventId,
      signal,
      onOpen: onConnected,
      onInterrupted,
      catchUp: () => this.#catchUp(),
      onEvent: async (event) => {
        if (event.kind === 'inbox.received') await this.#passReceived(event.data.id)
        else if (event.kind === 'message.changed') await this.#passState(event.data.id)
        position.add({ at: now(), ...(event.id !== undefined && { event: event.id }) })
      },
    })
  }

  /** Messages from before the first start are not reported. */
  async #skipOlder(): Promise<void> {
    const { position, now, kind } = this.#options
    const startedAt = now()
    if (kind === 'received')
      for await (const { id } of this.#receivedSince(startedAt)) position.add({ id, at: startedAt })
    position.add({ at: startedAt })
  }

  async #catchUp(): Promise<void> {
    const { position, kind, now } = this.#options
    if (kind !== 'received') return
    const startedAt = now()
    const missed: string[] = []
    for await (const { id } of this.#receivedSince(position.reachedAt ?? startedAt))
      if (!position.has(id)) missed.push(id)
    // Reports the oldest message first.
    for (const id of missed.reverse()) await this.#passReceived(id)
    position.add({ at: startedAt })
  }

  #receivedSince(at: number): AsyncIterable<InboxItem> {
    const { client, signal } = this.#options
    return client.inbox.list({ from: new Date(at - LATE_MS).toISOString() }, { signal })
  }

  async #passReceived(id: string): Promise<void> {
    const { client, position, signal, now, onReceived } = this.#options
    if (position.has(id)) return
    const item = await unlessGone(client.inbox.get(id, { signal }))
    if (item !== undefined) onReceived(item)
    position.add({ id, at: now() })
  }

  async #passState(id: string): Promise<void> {
    const { client, signal, onState } = this.#options
    const message = await unlessGone(client.messages.get(id, { signal }))
    if (message !== undefined) onState(message)
  }
}
