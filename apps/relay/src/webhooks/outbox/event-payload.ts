import type { EmittedEvent, WebhookPayloads } from '@smsgw/contract/webhooks/webhook-event'
import { simCardAnswer } from '../../devices/sim-card-answer.ts'
import { dlrType, type KannelFacts } from '../delivery/kannel-request.ts'
import { readCallback } from '../status-callback.ts'
import { localTimeOf, localTimeText } from './local-time.ts'
import type {
  OutboundEvent,
  OutboxEvent,
  ReceivedData,
  ReceivedEvent,
  ReceivedMms,
  ReceivedMmsContent,
  ReceivedText,
} from './outbox-event.ts'

/** Builds the `payload` of every webhook event. No other code builds payloads. */
export function payloadOf(event: OutboxEvent): WebhookPayloads[EmittedEvent] {
  switch (event.event) {
    case 'sms:received':
      return receivedText(event)
    case 'sms:data-received':
      return receivedData(event)
    case 'mms:received':
      return receivedMms(event)
    case 'mms:downloaded':
      return receivedMmsContent(event)
    case 'sms:sent':
      return {
        ...outbound(event),
        partsCount: event.partsCount,
        sentAt: localTimeText(event.at),
      } satisfies Payload<'sms:sent'>
    case 'sms:delivered':
      return { ...outbound(event), deliveredAt: localTimeText(event.at) } satisfies Payload<'sms:delivered'>
    case 'sms:failed': {
      const { reason, at } = event
      return { ...outbound(event), failedAt: localTimeText(at), reason, error: reason } satisfies Payload<'sms:failed'>
    }
    case 'sms:cancelled':
      return { ...outbound(event), cancelledAt: localTimeText(event.at) } satisfies Payload<'sms:cancelled'>
    case 'call:received': {
      const { caller, recipient, simNumber, receivedAt } = event
      return {
        caller,
        recipient,
        simNumber,
        receivedAt: localTimeText(receivedAt),
      } satisfies Payload<'call:received'>
    }
    case 'system:ping':
      return { health: event.health } satisfies Payload<'system:ping'>
    case 'app:started':
      return { simCards: event.simCards.map(simCardAnswer) } satisfies Payload<'app:started'>
    case 'sms:batch:received':
      return { messages: event.messages.map(receivedText) }
    case 'sms:batch:data-received':
      return { messages: event.messages.map(receivedData) }
    case 'mms:batch:received':
      return { messages: event.messages.map(receivedMms) }
    case 'mms:batch:downloaded':
      return { messages: event.messages.map(receivedMmsContent) }
  }
}

/**
 * Returns the payload in the form that is stored for a webhook. For formats such as `twilio`, it also contains facts
 * that the usual payload does not have.
 */
export function storedPayload(format: string | null, event: OutboxEvent): object {
  const payload = payloadOf(event)
  if (format === null || !('cmdId' in event)) return payload
  const { cmdId, statusCallback } = event
  if (format === 'kannel-dlr') {
    const type = dlrType(event.event, wasSent(event))
    if (statusCallback === undefined || type === undefined) return payload
    return { ...payload, kannel: { dlrUrl: readCallback(statusCallback).url, type } satisfies KannelFacts }
  }
  return {
    ...payload,
    twilio: {
      cmdId,
      ...(format === 'twilio-status' && { statusCallback }),
      ...(event.event === 'sms:failed' && { code: event.code, wasSent: wasSent(event) }),
    } satisfies TwilioFacts,
  }
}

/** True if the network accepted the message before this event. */
export function wasSent(event: OutboxEvent): boolean {
  return 'follows' in event && event.follows !== undefined
}

/** Facts about a sent message for requests in Twilio's format. */
export interface TwilioFacts {
  readonly cmdId: string
  readonly statusCallback?: string | undefined
  readonly code?: string
  readonly wasSent?: boolean
}

type Payload<Event extends EmittedEvent> = WebhookPayloads[Event]

function receivedText(received: ReceivedText): Payload<'sms:received'> {
  return { ...inbound(received), message: received.message, receivedAt: localTimeText(received.receivedAt) }
}

function receivedData(received: ReceivedData): Payload<'sms:data-received'> {
  const { data, port, receivedAt } = received
  return { ...inbound(received), data, port, receivedAt: localTimeText(receivedAt) }
}

function receivedMms(received: ReceivedMms): Payload<'mms:received'> {
  const { transactionId, subject, size, contentClass, contentLocation, expiresAt, receivedAt } = received
  const expiry = expiresAt && { ...receivedAt, at: localTimeOf(expiresAt).at }
  return {
    ...inbound(received),
    transactionId,
    ...(subject !== undefined && { subject }),
    size,
    contentClass,
    ...(contentLocation !== undefined && { contentLocation }),
    ...(expiry && { expiresAt: localTimeText(expiry) }),
    receivedAt: localTimeText(receivedAt),
  }
}

function receivedMmsContent(received: ReceivedMmsContent): Payload<'mms:downloaded'> {
  const { body, subject, attachments, receivedAt } = received
  return {
    ...inbound(received),
    body,
    ...(subject !== undefined && { subject }),
    attachments: [...attachments],
    receivedAt: localTimeText(receivedAt),
  }
}

function inbound({ messageId, sender, recipient, simNumber, isEncrypted }: ReceivedEvent) {
  // `phoneNumber` is deprecated. It contains the number of the other party.
  const facts = { messageId, sender, recipient, simNumber, phoneNumber: sender }
  return { ...facts, ...(isEncrypted === true && ({ isEncrypted } as const)) }
}

function outbound({ messageId, sender, recipient, simNumber, possibleDuplicate }: OutboundEvent) {
  // `sender` and `simNumber` must not be null. The number 0 means an unknown SIM, because SIM numbers begin with 1.
  return {
    messageId,
    sender: sender ?? '',
    recipient,
    simNumber: simNumber ?? 0,
    phoneNumber: recipient,
    ...(possibleDuplicate === true && { possibleDuplicate }),
  }
}
