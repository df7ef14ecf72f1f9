// Converts data between base64, as in the API and the link, and octets, as in the database. Encrypted data has its
// documented text form and is stored as the octets of that text.
import { readEncryptedField } from '@smsgw/contract/encrypted-field'

export function octetsOfData(data: string, isEncrypted: boolean): Buffer {
  return Buffer.from(data, isEncrypted ? 'utf8' : 'base64')
}

export function dataOfOctets(octets: Uint8Array, isEncrypted: boolean): string {
  const stored = Buffer.from(octets)
  const text = isEncrypted ? stored.toString('utf8') : ''
  // Earlier releases accepted plain data in an encrypted message. The agent refuses it.
  return readEncryptedField(text).ok ? text : stored.toString('base64')
}
