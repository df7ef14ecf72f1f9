import type { MessageStateAnswer } from '@smsgw/contract/message'
import type { NewMessage } from './new-message.ts'
import type { StoredMessage } from './stored-message.ts'

/** What the API says of a message. What does not apply is left out, never null. */
export function messageAnswer(
  message: Omit<StoredMessage, 'key'>,
  { content }: { content: boolean },
): MessageStateAnswer {
  return {
    id: message.id,
    deviceId: message.deviceId,
    state: message.state,
    isHashed: message.contentHash !== null,
    isEncrypted: message.isEncrypted,
    recipients: message.recipients.map(({ phoneNumber, state, error }) => ({
      phoneNumber,
      state,
      ...(error !== null && { error }),
    })),
    states: statesOf(message),
    ...(content && contentOf(message)),
    ...(message.contentHash !== null && { hashedMessage: { hash: message.contentHash } }),
    ...(message.simNumber !== null && { simNumber: message.simNumber }),
    ...(message.priority !== null && { priority: message.priority }),
    ...(message.scheduleAt !== null && { scheduleAt: message.scheduleAt.toISOString() }),
    ...(message.validUntil !== null && { validUntil: message.validUntil.toISOString() }),
    createdAt: message.createdAt.toISOString(),
  }
}

/** What the API says when it accepts one. */
export function acceptedAnswer(message: NewMessage): MessageStateAnswer {
  const { createdAt, simNumber = null, priority = null, validUntil = null, scheduleAt = null } = message
  return messageAnswer(
    {
      ...message,
      ...fresh,
      createdAt,
      simNumber,
      priority,
      validUntil,
      scheduleAt,
      contentHash: null,
      recipients: message.recipients.map((recipient) => ({ ...recipient, ...freshRecipient })),
    },
    { content: false },
  )
}

/** What the API said when it accepted this one. Numbers that are hashed meanwhile stay so. */
export function repeatedAnswer(message: StoredMessage): MessageStateAnswer {
  const recipients = message.recipients.map((recipient) => ({ ...recipient, ...freshRecipient }))
  return messageAnswer({ ...message, ...fresh, recipients }, { content: false })
}

const freshRecipient = { state: 'Pending', error: null } as const

const fresh = {
  state: 'Pending',
  cancellingAt: null,
  cancelledAt: null,
  processedAt: null,
  sentAt: null,
  deliveredAt: null,
  failedAt: null,
  text: null,
  data: null,
  port: null,
} as const

function contentOf({
  text,
  data,
  port,
}: Pick<StoredMessage, 'text' | 'data' | 'port'>): Pick<MessageStateAnswer, 'textMessage' | 'dataMessage'> {
  if (text !== null) return { textMessage: { text } }
  if (data !== null) return { dataMessage: { data: Buffer.from(data).toString('base64'), port: port ?? 0 } }
  return {}
}

function statesOf(message: Omit<StoredMessage, 'key'>): MessageStateAnswer['states'] {
  const states: MessageStateAnswer['states'] = { Pending: message.createdAt.toISOString() }
  for (const [state, column] of stateColumns) {
    const at = message[column]
    if (at !== null) states[state] = at.toISOString()
  }
  return states
}

const stateColumns = [
  ['Cancelling', 'cancellingAt'],
  ['Cancelled', 'cancelledAt'],
  ['Processed', 'processedAt'],
  ['Sent', 'sentAt'],
  ['Delivered', 'deliveredAt'],
  ['Failed', 'failedAt'],
] as const
