import { createPublicKey, verify } from 'node:crypto'

/** Ed25519 over the text, by the key that an agent showed when it was paired: raw, base64. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const raw = Buffer.from(publicKey, 'base64')
  if (raw.length !== RAW_KEY_BYTES) return false
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
}

const RAW_KEY_BYTES = 32
/** RFC 8410: what stands before the raw key in its usual wrapping. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex')
