// Converts data between base64 (in the API and the link) and octets (in the database). Encrypted data has a documented
// text form and is stored as the octets of that text.
import { readEncryptedField } from '@smsgw/contract/messages/encrypted-field'

export function octetsOfData(data: string, isEncrypted: boolean): Buffer {
  return Buffer.from(data, isEncrypted ? 'utf8' : 'base64')
}

export function dataOfOctets(octets: Uint8Array, isEncrypted: boolean): string {
  const stored = Buffer.from(octets)
  const text = isEncrypted ? stored.toString('utf8') : ''
  // Messages from earlier releases may be marked as encrypted although their data is not. Agents refuse such a message.
  return readEncryptedField(text).ok ? text : stored.toString('base64')
}
