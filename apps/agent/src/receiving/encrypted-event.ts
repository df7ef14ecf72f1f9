import type { AgentEvent, EncryptionKey } from '@smsgw/contract/link/event'
import { encryptValue } from '../encryption/encrypt-value.ts'

type Received = Extract<AgentEvent, { kind: 'received' }>

/**
 * Encrypts the content of a received message with the key of the account, before the event is journaled and sent to the relay.
 * Numbers, times and the facts of an MMS notification stay readable, because conversations and replies need them.
 */
export function encryptedEvent(event: Received, key: EncryptionKey): Received {
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
