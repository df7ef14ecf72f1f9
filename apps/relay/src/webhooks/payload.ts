import type { ToldEvent, WebhookPayloads } from '@smsgw/contract/webhook-event'
import { simCardAnswer } from '../devices/sim-card-answer.ts'
import type {
  HappenedEvent,
  OutboundEvent,
  ReceivedData,
  ReceivedEvent,
  ReceivedMms,
  ReceivedText,
} from './happened-event.ts'
import { localTime, localTimeText } from './local-time.ts'

/** `payload` of the webhook's body: the one place that builds it, for every event. */
export function payloadOf(happened: HappenedEvent): WebhookPayloads[ToldEvent] {
  switch (happened.event) {
    case 'sms:received':
      return receivedText(happened)
    case 'sms:data-received':
      return receivedData(happened)
    case 'mms:received':
      return receivedMms(happened)
    case 'sms:sent': {
      const { partsCount, at } = happened
      return { ...outbound(happened), partsCount, sentAt: localTimeText(at) } satisfies Payload<'sms:sent'>
    }
    case 'sms:delivered':
      return { ...outbound(happened), deliveredAt: localTimeText(happened.at) } satisfies Payload<'sms:delivered'>
    case 'sms:failed': {
      const { reason, at } = happened
      return {
        ...outbound(happened),
        failedAt: localTimeText(at),
        reason,
        error: reason,
      } satisfies Payload<'sms:failed'>
    }
    case 'sms:cancelled':
      return { ...outbound(happened), cancelledAt: localTimeText(happened.at) } satisfies Payload<'sms:cancelled'>
    case 'system:ping':
      return { health: happened.health } satisfies Payload<'system:ping'>
    case 'app:started':
      return { simCards: happened.simCards.map(simCardAnswer) } satisfies Payload<'app:started'>
    case 'sms:batch:received':
      return { messages: happened.messages.map(receivedText) }
    case 'sms:batch:data-received':
      return { messages: happened.messages.map(receivedData) }
    case 'mms:batch:received':
      return { messages: happened.messages.map(receivedMms) }
  }
}

type Payload<Event extends ToldEvent> = WebhookPayloads[Event]

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
  // `phoneNumber` is deprecated: the other side of the conversation, whichever way the message went.
  return { messageId, sender, recipient, simNumber, phoneNumber: sender }
}

function outbound({ messageId, sender, recipient, simNumber }: OutboundEvent) {
  // Neither `sender` nor `simNumber` may be null; no SIM has the number 0.
  return { messageId, sender: sender ?? '', recipient, simNumber: simNumber ?? 0, phoneNumber: recipient }
}
