import { setTimeout as sleep } from 'node:timers/promises'
import type { SmsGateway } from '@smsgw/client'
import type { SmsGatewayError } from '@smsgw/client/errors'
import { followWithoutGaps, unlessGone } from '@smsgw/client/follow-without-gaps'
import type { LiveEventKind } from '@smsgw/client/live-events'
import type { InboxItem, MessageState } from '@smsgw/client/openapi'
import type { Channel } from '../state/channel.ts'

/**
 * After a gap in the stream, the inbox is read from this long before the gap. The time of a received message comes from
 * the network and may be days before its arrival.
 */
const LATE_MS = 7 * 86_400_000
const FINAL = ['Delivered', 'Failed', 'Cancelled', 'Ended']
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 60_000

export interface FollowerOptions {
  readonly channel: Channel
  readonly api: SmsGateway
  /** Forwards one received message. Called again after an error. */
  readonly onReceived: (item: InboxItem) => Promise<void>
  /** Reports a new state of a message that this channel has sent. */
  readonly onState: (message: MessageState, detail: string) => Promise<void>
  /**
   * Returns the state to compare with the last reported state. `Ended` is a final state. Default: the state of the
   * message.
   */
  readonly stateOf?: (message: MessageState) => string
  /** Called when a device, its modems or its queue have changed. */
  readonly onDevices?: () => void
  /** Called with true when events begin to arrive, and with false when they stop. */
  readonly onConnected?: (isConnected: boolean) => void
}

/**
 * Follows an account for one channel, so that each received message and each state is reported once, even after a
 * crash. The stream of events reports new messages and states. After a gap (first start, long interruption, restored
 * database), the lists of the API are read instead. The position in the stream is stored after an event was forwarded.
 */
export class AccountFollower {
  readonly #options: FollowerOptions
  readonly #cursor: string
  readonly #reached: string
  /** The time of the relay minus the time of the monotonic clock. */
  #relayAheadMs = 0
  #reporting: Promise<void> = Promise.resolve()

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#cursor = `${options.channel.name}.last-event-id`
    this.#reached = `${options.channel.name}.followed-until`
  }

  /** Runs until the signal aborts. */
  async run(): Promise<void> {
    const { signal, log, name } = this.#options.channel
    for (let retryMs = FIRST_RETRY_MS; !signal.aborted; retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)) {
      const startedAt = performance.now()
      try {
        await this.#follow()
      } catch (error) {
        if (signal.aborted) return
        this.#setConnected(false)
        if (performance.now() - startedAt > LONGEST_RETRY_MS) retryMs = FIRST_RETRY_MS
        log.error(
          { err: error, channel: name },
          `could not read the events of the account, retrying in ${retryMs / 1000} s`,
        )
        await sleep(retryMs, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  async #follow(): Promise<void> {
    const { api, onDevices } = this.#options
    const { name: channel, notes, sent, log, signal } = this.#options.channel
    await this.#readRelayTime()
    if (notes.read(this.#reached) === undefined) await this.#skipOlder()
    let isOpen = false
    const kinds: LiveEventKind[] = ['inbox.received', 'message.changed']
    if (onDevices !== undefined) kinds.push('device.changed', 'device.telemetry')
    await followWithoutGaps({
      events: (options) => api.events(options),
      kinds,
      lastEventId: notes.read(this.#cursor),
      signal,
      onOpen: () => {
        if (!isOpen) log.info({ channel }, 'following the events of the account')
        isOpen = true
        this.#setConnected(true)
        onDevices?.()
      },
      onInterrupted: (error: SmsGatewayError) => {
        if (isOpen) log.warn({ channel, reason: error.message }, 'connection to the API lost, reconnecting')
        isOpen = false
        this.#setConnected(false)
      },
      // Reports messages whose events arrived before their id was stored, because these events are not repeated.
      onStart: async () => {
        for (const { id, state } of sent.list()) if (state === 'Pending') await this.#report(id)
      },
      catchUp: () => this.#catchUp(),
      onEvent: async (event) => {
        if (event.kind === 'inbox.received') await this.#pass(event.data.id)
        else if (event.kind === 'message.changed') await this.#report(event.data.id)
        else if (event.kind !== 'reset') onDevices?.()
        if (event.id !== undefined) notes.write(this.#cursor, event.id)
        this.#reach(this.#relayNow())
      },
    })
  }

  /**
   * Positions in the inbox are times of the relay, because the clock of this machine may be wrong, or be set while the
   * bridge runs. Without a `Date` header, the clock of this machine is used.
   */
  async #readRelayTime(): Promise<void> {
    const { api, channel } = this.#options
    const request = { method: 'GET', path: '/health/live', signal: channel.signal } as const
    const { headers } = await api.request(request)
    const relayMs = Date.parse(headers.get('date') ?? '')
    this.#relayAheadMs = (Number.isNaN(relayMs) ? Date.now() : relayMs) - performance.now()
  }

  #relayNow(): number {
    return Math.floor(performance.now() + this.#relayAheadMs)
  }

  /**
   * At the first start, earlier messages are not forwarded. They are marked before the stream is opened, so that every
   * later message is reported.
   */
  async #skipOlder(): Promise<void> {
    const { handled } = this.#options.channel
    const startedAt = this.#relayNow()
    for await (const { id, createdAt } of this.#receivedSince(startedAt)) handled.add(id, Date.parse(createdAt))
    this.#reach(startedAt)
  }

  /** Reads the lists, because events may have been missed. */
  async #catchUp(): Promise<void> {
    const { handled, sent } = this.#options.channel
    const startedAt = this.#relayNow()
    const missed: string[] = []
    for await (const { id } of this.#receivedSince(this.#position(startedAt) ?? startedAt))
      if (!handled.has(id)) missed.push(id)
    // Handles the oldest message first.
    for (const id of missed.reverse()) await this.#pass(id)
    for (const { id } of sent.list()) await this.#report(id)
    this.#reach(startedAt)
  }

  /** Lists the newest messages first, and includes messages that may be late. */
  #receivedSince(at: number): AsyncIterable<InboxItem> {
    const { api, channel } = this.#options
    return api.inbox.list({ from: new Date(at - LATE_MS).toISOString() }, { signal: channel.signal })
  }

  /**
   * Returns the stored position. A position in the future was stored with a wrong clock, and is replaced by the time
   * now.
   */
  #position(now: number): number | undefined {
    const position = this.#options.channel.notes.read(this.#reached)
    return position === undefined ? undefined : Math.min(Number(position), now)
  }

  #reach(at: number): void {
    const { notes, handled } = this.#options.channel
    const stored = Number(notes.read(this.#reached) ?? 0)
    if (at >= stored && at - stored < REACH_EVERY_MS) return
    notes.write(this.#reached, String(at))
    handled.forgetBefore(at - LATE_MS - REACH_EVERY_MS - LATE_MS)
  }

  async #pass(id: string): Promise<void> {
    const { api, onReceived } = this.#options
    const { handled, signal } = this.#options.channel
    if (handled.has(id)) return
    const item = await unlessGone(api.inbox.get(id, { signal }))
    if (item === undefined) return
    await onReceived(item)
    handled.add(id, Date.parse(item.createdAt))
  }

  /**
   * Reports the state of a message that was just sent, because its events may have arrived before its id was stored.
   */
  reportNow(id: string): Promise<void> {
    return this.#report(id)
  }

  /**
   * Like `reportNow`, but a failure is only logged, because the next event of the message or the next start also
   * reports the state.
   */
  reportSoon(id: string): void {
    const { log, signal } = this.#options.channel
    this.reportNow(id).catch((error: Error) => {
      if (!signal.aborted) log.warn({ message: id, reason: error.message }, 'could not read the state of a message')
    })
  }

  #setConnected(isConnected: boolean): void {
    this.#options.channel.state.set('api', isConnected ? undefined : 'connection to the API lost')
    this.#options.onConnected?.(isConnected)
  }

  /** Makes one report at a time, so that the stream and `reportNow` do not report a state twice. */
  #report(id: string): Promise<void> {
    const report = this.#reporting.catch(() => undefined).then(() => this.#reportState(id))
    this.#reporting = report
    return report
  }

  async #reportState(id: string): Promise<void> {
    const { api, onState, stateOf = ({ state }) => state } = this.#options
    const { sent, signal } = this.#options.channel
    const known = sent.find(id)
    if (known === undefined) return
    const message = await unlessGone(api.messages.get(id, { signal }))
    const state = message === undefined ? undefined : stateOf(message)
    if (message !== undefined && state !== undefined && state !== known.state) {
      await onState(message, known.detail)
      sent.setState(id, state)
    }
    if (state === undefined || FINAL.includes(state)) sent.remove(id)
  }
}

/** The interval at which the position in the inbox is stored. */
const REACH_EVERY_MS = 60_000
