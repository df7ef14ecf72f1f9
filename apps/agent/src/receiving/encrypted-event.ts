import { type AgentEvent, type EncryptionKey, longestLocation } from '@smsgw/contract/link/event'
import { encryptValue } from '../encryption/encrypt-value.ts'
import type { NumberAliases } from '../encryption/number-aliases.ts'

type Received = Extract<AgentEvent, { kind: 'received' }>

type ReceivedMms = Extract<Received, { type: 'MMS' }>

/** The key of the account, with which received messages are encrypted. */
export interface InboxKey extends EncryptionKey {
  /** Present if the account hides senders from the relay. */
  readonly aliases?: NumberAliases | undefined
}

/**
 * Encrypts the content of a received message with the key of the account, before the event is journaled and sent to the
 * relay. Times and the facts of an MMS notification stay readable. The sender's number stays readable, and so does the
 * data with which the MMS centre could find the sender. If the account hides senders, both are hidden.
 */
export function encryptedEvent(event: Received, key: InboxKey): Received {
  const { aliases } = key
  const encrypted = withEncryptedContent(event, key)
  if (aliases === undefined) return encrypted
  const hidden = { id: aliases.hiddenId(event.id), sender: aliases.aliasOf(event.sender, key) }
  if (encrypted.type !== 'MMS') return { ...encrypted, ...hidden }
  return { ...encrypted, ...hidden, ...withoutTraces(encrypted, key, aliases) }
}

/**
 * The MMS centre can find the sender of an MMS by the content location or by the transaction id. The location is
 * encrypted. The transaction id becomes a keyed hash, because an encrypted id would be too long, and equal ids must
 * stay equal.
 */
function withoutTraces({ transactionId, contentLocation }: ReceivedMms, key: EncryptionKey, aliases: NumberAliases) {
  const traces = { transactionId: aliases.hiddenId(`transaction ${transactionId}`) }
  if (contentLocation === undefined) return traces
  const encrypted = encryptValue(key, contentLocation)
  // A location that does not fit is left out. Real locations have fewer than 200 characters.
  if (encrypted.length > longestLocation) return { ...traces, contentLocation: undefined }
  return { ...traces, isEncrypted: true, contentLocation: encrypted }
}

function withEncryptedContent(event: Received, key: EncryptionKey): Received {
  switch (event.type) {
    case 'SMS':
      return { ...event, isEncrypted: true, text: encryptValue(key, event.text) }
    case 'DATA_SMS': {
      const data = Buffer.from(encryptValue(key, event.data)).toString('base64')
      return { ...event, isEncrypted: true, data }
    }
    case 'MMS':
      return event.subject === undefined
        ? event
        : { ...event, isEncrypted: true, subject: encryptValue(key, event.subject) }
  }
}
