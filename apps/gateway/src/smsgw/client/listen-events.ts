import { createHash } from 'node:crypto'
import type { SmsGateway } from '@smsgw/client'
import { NotFoundError } from '@smsgw/client/errors'
import type { LiveEvent } from '@smsgw/client/live-events'
import type { InboxItem, MessageState, TimelineEntry } from '@smsgw/client/openapi'
import type { WebhookEvent } from '@smsgw/client/webhook'

/** The webhook events that can be built from live events. */
export const forwardedEvents = [
  'sms:received',
  'sms:data-received',
  'mms:received',
  'sms:sent',
  'sms:delivered',
  'sms:failed',
  'sms:cancelled',
] as const

export type ForwardedEvent = (typeof forwardedEvents)[number]

/** The number of messages whose earlier events are remembered. */
const MOST_MESSAGES = 10_000

/** Uses live events to build the requests that a webhook would receive. */
export class WebhookEvents {
  readonly #sms: SmsGateway
  /** The steps of each message that were already reported. */
  readonly #reported = new Map<string, Set<string>>()

  constructor(sms: SmsGateway) {
    this.#sms = sms
  }

  async of(event: LiveEvent): Promise<WebhookEvent[]> {
    try {
      if (event.kind === 'inbox.received') return [receivedEvent(await this.#sms.inbox.get(event.data.id))].flat()
      if (event.kind === 'message.created') this.#reportedOf(event.data.id)
      if (event.kind === 'message.changed') return await this.#steps(event.data)
      return []
    } catch (error) {
      // Returns no events, because the message was deleted in the meantime.
      if (error instanceof NotFoundError) return []
      throw error
    }
  }

  /** Returns an event for each new step. For a message that is older than this run, only the current step is new. */
  async #steps({ id, state }: { id: string; state: string }): Promise<WebhookEvent[]> {
    const isFromBefore = !this.#reported.has(id)
    const reported = this.#reportedOf(id)
    if (!(state in STEPS)) return []
    const [message, timeline, devices] = await Promise.all([
      this.#sms.messages.get(id),
      this.#sms.messages.timeline(id),
      this.#sms.devices.list(),
    ])
    const sims = devices.find((device) => device.id === message.deviceId)?.simCards ?? []
    const sender = sims.find(({ simNumber }) => simNumber === message.simNumber)?.phoneNumber ?? ''
    const events: WebhookEvent[] = []
    for (const entry of timeline) {
      const step = `${entry.kind} ${entry.recipient}`
      if (!Object.values(STEPS).some((kind) => kind === entry.kind) || reported.has(step)) continue
      reported.add(step)
      if (isFromBefore && entry.kind !== STEPS[state as keyof typeof STEPS]) continue
      events.push(sentEvent(message, entry, sender, partsOf(timeline, entry)))
    }
    return events
  }

  #reportedOf(id: string): Set<string> {
    const reported = this.#reported.get(id) ?? new Set<string>()
    this.#reported.set(id, reported)
    const [oldest] = this.#reported.keys()
    if (this.#reported.size > MOST_MESSAGES && oldest !== undefined) this.#reported.delete(oldest)
    return reported
  }
}

/** The kind of a step in the timeline, by the state that it leads to. */
const STEPS = { Sent: 'sent', Delivered: 'delivered', Failed: 'failed', Cancelled: 'cancelled' } as const

function sentEvent(message: MessageState, { kind, at, recipient = '' }: TimelineEntry, sender: string, parts: number) {
  const { id: messageId, deviceId, simNumber = 0, recipients } = message
  const state = recipients.find(({ phoneNumber }) => phoneNumber === recipient)
  const common = {
    messageId,
    sender,
    recipient,
    simNumber,
    phoneNumber: recipient,
    ...(state?.possibleDuplicate && { possibleDuplicate: true as const }),
  }
  const reason = state?.error ?? ''
  if (kind === 'sent') return envelope(deviceId, 'sms:sent', { ...common, partsCount: parts, sentAt: localTime(at) })
  if (kind === 'delivered') return envelope(deviceId, 'sms:delivered', { ...common, deliveredAt: localTime(at) })
  if (kind === 'cancelled') return envelope(deviceId, 'sms:cancelled', { ...common, cancelledAt: localTime(at) })
  return envelope(deviceId, 'sms:failed', { ...common, failedAt: localTime(at), reason, error: reason })
}

function receivedEvent(item: InboxItem): WebhookEvent | [] {
  const { id: messageId, deviceId, sender, recipient = null, simNumber = 1, createdAt } = item
  const common = { messageId, sender, recipient, simNumber, phoneNumber: sender, receivedAt: localTime(createdAt) }
  if (item.type === 'SMS') return envelope(deviceId, 'sms:received', { ...common, message: item.text ?? '' })
  if (item.type === 'DATA_SMS')
    return envelope(deviceId, 'sms:data-received', { ...common, data: item.data ?? '', port: item.port ?? 0 })
  if (item.type !== 'MMS') return []
  const { transactionId = '', subject, size = 0, contentClass = '', contentLocation, expiresAt } = item
  return envelope(deviceId, 'mms:received', {
    ...common,
    transactionId,
    size,
    contentClass,
    ...(subject !== undefined && { subject }),
    ...(contentLocation !== undefined && { contentLocation }),
    ...(expiresAt !== undefined && { expiresAt: localTime(expiresAt) }),
  })
}

type PayloadOf<Name extends ForwardedEvent> = Extract<WebhookEvent, { event: Name }>['payload']

/**
 * Builds the body of an event. The id depends only on the facts of the event, so it is the same if the event is
 * forwarded again.
 */
function envelope<Name extends ForwardedEvent>(deviceId: string, event: Name, payload: PayloadOf<Name>): WebhookEvent {
  const { messageId, recipient } = payload
  const hash = createHash('sha256')
    .update(JSON.stringify([event, messageId, recipient]))
    .digest('hex')
  const id = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
  return { deviceId, event, id, payload, webhookId: 'smsgw-listen' } as WebhookEvent
}

function partsOf(timeline: readonly TimelineEntry[], { recipient }: TimelineEntry): number {
  return Math.max(1, ...timeline.flatMap((entry) => (entry.recipient === recipient ? (entry.part?.total ?? []) : [])))
}

/** Payloads have a numeric offset. The API returns times in UTC. */
function localTime(utc: string): string {
  return utc.replace('Z', '+00:00')
}
