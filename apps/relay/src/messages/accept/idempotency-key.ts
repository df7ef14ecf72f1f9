import { createHash } from 'node:crypto'
import { DecodedBase64 } from '@smsgw/contract/fields/decoded-base64'
import { CollectedText } from '@smsgw/contract/messages/collected-text'
import { textPieces } from '../../http/body/octet-pieces.ts'

/** Identifies a request that may be repeated. */
export interface IdempotencyKey {
  readonly key: string
  /** SHA-256 of the request. Using the key for a different request is an error. */
  readonly fingerprint: Uint8Array
}

export function isIdempotencyKey(text: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(text)
}

/** Returns the same fingerprint for equal JSON, with any order of its members. */
export function requestFingerprint(request: unknown): Uint8Array {
  return createHash('sha256').update(canonicalJson(request)).digest()
}

/** Texts and data of messages are at most this long. */
const LONGEST_TEXT = 65_535

function canonicalJson(value: unknown): string {
  // Copies only the hash of a long text, because the text of an attachment has millions of characters.
  if (typeof value === 'string' && value.length > LONGEST_TEXT) return hashOf([value])
  if (value instanceof DecodedBase64 || value instanceof CollectedText) return hashOf(textPieces(value))
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}

function hashOf(parts: Iterable<string>): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return JSON.stringify(hash.digest('hex'))
}
