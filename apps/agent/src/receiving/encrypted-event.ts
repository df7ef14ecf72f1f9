import type { AgentEvent, EncryptionKey } from '@smsgw/contract/link/event'
import { encryptValue } from '../encryption/encrypt-value.ts'
import type { NumberAliases } from '../encryption/number-aliases.ts'

type Received = Extract<AgentEvent, { kind: 'received' }>

/** The key of the account, with which received messages are encrypted. */
export interface InboxKey extends EncryptionKey {
  /** Present if the account hides senders from the relay. */
  readonly aliases?: NumberAliases | undefined
}

/**
 * Encrypts the content of a received message with the key of the account, before the event is journaled and sent to the relay.
 * Times and the facts of an MMS notification stay readable. The number of the sender stays readable unless the account hides
 * it.
 */
export function encryptedEvent(event: Received, key: InboxKey): Received {
  const { aliases } = key
  const encrypted = withEncryptedContent(event, key)
  if (aliases === undefined) return encrypted
  return { ...encrypted, id: aliases.hiddenId(event.id), sender: aliases.aliasOf(event.sender, key) }
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
