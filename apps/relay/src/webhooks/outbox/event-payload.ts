import type { EmittedEvent, WebhookPayloads } from '@smsgw/contract/webhook-event'
import { simCardAnswer } from '../../devices/sim-card-answer.ts'
import { localTime, localTimeText } from './local-time.ts'
import type {
  OutboundEvent,
  OutboxEvent,
  ReceivedData,
  ReceivedEvent,
  ReceivedMms,
  ReceivedText,
} from './outbox-event.ts'

/** Builds the `payload` of every webhook event. No other code does. */
export function payloadOf(outboxEvents: OutboxEvent): WebhookPayloads[EmittedEvent] {
  switch (outboxEvents.event) {
    case 'sms:received':
      return receivedText(outboxEvents)
    case 'sms:data-received':
      return receivedData(outboxEvents)
    case 'mms:received':
      return receivedMms(outboxEvents)
    case 'sms:sent': {
      const { partsCount, at } = outboxEvents
      return { ...outbound(outboxEvents), partsCount, sentAt: localTimeText(at) } satisfies Payload<'sms:sent'>
    }
    case 'sms:delivered':
      return {
        ...outbound(outboxEvents),
        deliveredAt: localTimeText(outboxEvents.at),
      } satisfies Payload<'sms:delivered'>
    case 'sms:failed': {
      const { reason, at } = outboxEvents
      return {
        ...outbound(outboxEvents),
        failedAt: localTimeText(at),
        reason,
        error: reason,
      } satisfies Payload<'sms:failed'>
    }
    case 'sms:cancelled':
      return {
        ...outbound(outboxEvents),
        cancelledAt: localTimeText(outboxEvents.at),
      } satisfies Payload<'sms:cancelled'>
    case 'system:ping':
      return { health: outboxEvents.health } satisfies Payload<'system:ping'>
    case 'app:started':
      return { simCards: outboxEvents.simCards.map(simCardAnswer) } satisfies Payload<'app:started'>
    case 'sms:batch:received':
      return { messages: outboxEvents.messages.map(receivedText) }
    case 'sms:batch:data-received':
      return { messages: outboxEvents.messages.map(receivedData) }
    case 'mms:batch:received':
      return { messages: outboxEvents.messages.map(receivedMms) }
  }
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
  const expiry = expiresAt && { ...receivedAt, at: localTime(expiresAt).at }
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

function inbound({ messageId, sender, recipient, simNumber }: ReceivedEvent) {
  // `phoneNumber` is deprecated: the number of the other party.
  return { messageId, sender, recipient, simNumber, phoneNumber: sender }
}

function outbound({ messageId, sender, recipient, simNumber, possibleDuplicate }: OutboundEvent) {
  // `sender` and `simNumber` must not be null; no SIM has the number 0.
  return {
    messageId,
    sender: sender ?? '',
    recipient,
    simNumber: simNumber ?? 0,
    phoneNumber: recipient,
    ...(possibleDuplicate === true && { possibleDuplicate }),
  }
}
