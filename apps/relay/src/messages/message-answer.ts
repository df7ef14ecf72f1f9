import type { MessageContent, MessageStateAnswer } from '@smsgw/contract/messages/message'
import { storedOctets } from '@smsgw/contract/messages/mms'
import { type Waiting, waitingOf } from '@smsgw/contract/messages/waiting'
import type { Statements } from '../store/database.ts'
import { heldUntil, waitingRecipients } from '../waiting/waiting-recipients.ts'
import type { NewMessage } from './accept/accept-messages.ts'
import { dataOfOctets } from './message-data.ts'
import { networkCauseOf } from './network-cause-of-error.ts'
import { timeColumns } from './progress/message-state.ts'
import type { StoredMessage } from './stored-message.ts'

/** Returns a message as the API shows it. Members that do not apply are left out, never null. */
export function messageAnswer(
  message: Omit<StoredMessage, 'key'>,
  { content, waiting }: { readonly content: boolean; readonly waiting?: ReadonlyMap<string, Waiting> },
): MessageStateAnswer {
  const first = message.recipients.flatMap(({ cmdId }) => waiting?.get(cmdId) ?? [])[0]
  return {
    id: message.id,
    deviceId: message.deviceId,
    state: message.state,
    isHashed: message.contentHash !== null,
    isEncrypted: message.isEncrypted,
    recipients: message.recipients.map(({ cmdId, phoneNumber, state, error, errorCode, possibleDuplicate }) => {
      const reason = waiting?.get(cmdId)
      return {
        phoneNumber,
        state,
        ...(error !== null && { error }),
        ...(state === 'Failed' && errorCode !== null && { errorCode }),
        ...networkCauseOf({ error, errorCode }),
        ...(reason !== undefined && { waiting: reason }),
        ...(possibleDuplicate && { possibleDuplicate }),
      }
    }),
    ...(first !== undefined && { waiting: first }),
    states: statesOf(message),
    ...(content && contentOf(message)),
    ...(message.contentHash !== null && { hashedMessage: { hash: message.contentHash } }),
    ...simOf(message),
    ...(message.priority !== null && { priority: message.priority }),
    ...(message.scheduleAt !== null && { scheduleAt: message.scheduleAt.toISOString() }),
    ...(message.validUntil !== null && { validUntil: message.validUntil.toISOString() }),
    ...(message.onUncertain !== null && { onUncertain: message.onUncertain }),
    ...sentByOf(message),
    ...approvalOf(message),
    createdAt: message.createdAt.toISOString(),
  }
}

/** Returns several messages as the API shows them, with the reasons why they are waiting. */
export async function messageAnswers(
  statements: Statements,
  accountId: string,
  messages: readonly Omit<StoredMessage, 'key'>[],
  options: { readonly content: boolean },
): Promise<MessageStateAnswer[]> {
  const recipients = messages.flatMap(({ recipients, ...message }) =>
    recipients.map((recipient) => ({ ...message, ...recipient, heldUntil: heldUntil(message) })),
  )
  const waiting = await waitingRecipients(statements, accountId, recipients)
  return messages.map((message) => messageAnswer(message, { ...options, waiting }))
}

/**
 * Returns the SIM that the request names. If the request names no SIM, returns the SIM that was used, unless several
 * SIMs were used.
 */
function simOf({ simNumber, recipients }: Pick<StoredMessage, 'simNumber' | 'recipients'>) {
  const used = new Set(recipients.flatMap(({ usedSimNumber }) => usedSimNumber ?? []))
  const [only] = used
  if (simNumber !== null) return { simNumber }
  return only !== undefined && used.size === 1 ? { simNumber: only } : {}
}

function sentByOf({
  sentBy: kind,
  sentByKeyId: keyId,
  sentByKeyName: keyName,
}: Pick<StoredMessage, 'sentBy' | 'sentByKeyId' | 'sentByKeyName'>): Pick<MessageStateAnswer, 'sentBy'> {
  if (kind === null) return {}
  return { sentBy: { kind, ...(keyId !== null && { keyId }), ...(keyName !== null && { keyName }) } }
}

/** Returns the approval of a message. A message that ended before a decision has no approval. */
function approvalOf(
  message: Pick<StoredMessage, 'state' | 'approval' | 'approvalUntil' | 'approvalAt' | 'approvalBy'>,
): Pick<MessageStateAnswer, 'approval'> {
  const { approval: state, approvalUntil: until, approvalAt, approvalBy } = message
  if (state === null || until === null || (state === 'pending' && message.state !== 'Pending')) return {}
  return {
    approval: {
      state,
      until: until.toISOString(),
      ...(approvalAt !== null && { decidedAt: approvalAt.toISOString() }),
      ...(approvalBy !== null && { decidedBy: approvalBy }),
    },
  }
}

/** Returns the answer to an accepted message. */
export function acceptedAnswer(message: NewMessage): MessageStateAnswer {
  const { content, createdAt, simNumber = null, priority = null, validUntil = null, scheduleAt = null } = message
  const { onUncertain = null, approvalUntil = null } = message
  const answer = messageAnswer(
    {
      ...message,
      ...fresh,
      createdAt,
      simNumber,
      priority,
      validUntil,
      scheduleAt,
      onUncertain,
      approval: approvalUntil && 'pending',
      approvalUntil,
      sentBy: message.sentBy.kind,
      sentByKeyId: message.sentBy.keyId ?? null,
      sentByKeyName: message.sentBy.keyName ?? null,
      contentHash: null,
      text: null,
      data: null,
      port: null,
      mms: null,
      attachments: null,
      recipients: message.recipients.map((recipient) => ({ ...recipient, ...freshRecipient })),
    },
    { content: false, ...(approvalUntil && { waiting: waitsForApproval(message, approvalUntil) }) },
  )
  return { ...answer, ...echoOf(content) }
}

/** Returns the content as in the request, without the data of attachments. */
function echoOf(content: MessageContent): Content {
  switch (content.kind) {
    case 'text':
      return { textMessage: { text: content.text } }
    case 'data':
      return { dataMessage: { data: content.data, port: content.port } }
    case 'mms': {
      const attachments = content.attachments.map(({ contentType, name = null, data }, partId) => ({
        partId,
        contentType,
        name,
        size: storedOctets(data),
      }))
      return { mmsMessage: mmsOf(content, content.text, attachments) }
    }
  }
}

function mmsOf(
  { subject }: { readonly subject?: string | undefined },
  text: string | null | undefined,
  attachments: StoredMessage['attachments'],
): Content['mmsMessage'] {
  return {
    ...(subject !== undefined && { subject }),
    ...(text && { text }),
    attachments: (attachments ?? []).map(({ name, ...facts }) => ({ ...facts, ...(name !== null && { name }) })),
  }
}

function waitsForApproval({ recipients }: NewMessage, until: Date): ReadonlyMap<string, Waiting> {
  const waiting = waitingOf({ reason: 'approval', until: until.toISOString() }, 'the device')
  return new Map(recipients.map(({ cmdId }) => [cmdId, waiting]))
}

/**
 * Returns the first answer to the request again. If the content has been hashed since then, the answer contains the
 * hash.
 */
export function repeatedAnswer(message: StoredMessage): MessageStateAnswer {
  const recipients = message.recipients.map((recipient) => ({ ...recipient, ...freshRecipient }))
  const approval = message.approval && 'pending'
  return { ...messageAnswer({ ...message, ...fresh, approval, recipients }, { content: false }), ...contentOf(message) }
}

const freshRecipient = {
  state: 'Pending',
  error: null,
  errorCode: null,
  isDispatched: false,
  usedSimNumber: null,
  possibleDuplicate: false,
} as const

const fresh = {
  state: 'Pending',
  cancellingAt: null,
  cancelledAt: null,
  processedAt: null,
  sentAt: null,
  deliveredAt: null,
  failedAt: null,
  approvalAt: null,
  approvalBy: null,
} as const

type Content = Pick<MessageStateAnswer, 'textMessage' | 'dataMessage' | 'mmsMessage'>

function contentOf(message: Omit<StoredMessage, 'key'>): Content {
  const { text, data, port, isEncrypted, mms, attachments, contentHash } = message
  if (mms !== null) return contentHash === null ? { mmsMessage: mmsOf(mms, text, attachments) } : {}
  if (text !== null) return { textMessage: { text } }
  if (data !== null) return { dataMessage: { data: dataOfOctets(data, isEncrypted), port: port ?? 0 } }
  return {}
}

function statesOf(message: Omit<StoredMessage, 'key'>): MessageStateAnswer['states'] {
  const states: MessageStateAnswer['states'] = { Pending: message.createdAt.toISOString() }
  for (const [state, column] of timeColumns) {
    const at = message[column]
    if (at !== null) states[state] = at.toISOString()
  }
  return states
}
