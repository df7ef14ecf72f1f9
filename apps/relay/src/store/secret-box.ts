import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import type { Random } from '../random.ts'

/** Encrypts secrets that are stored in the database. Each purpose has its own key. */
export interface SecretBox {
  seal(text: string, purpose: string): string
  /** Throws when the text was encrypted with another secret or purpose, or was modified. */
  open(sealed: string, purpose: string): string
  /**
   * Returns a keyed hash in hexadecimal digits. With this hash, a value can be found although the value itself is not
   * stored.
   */
  fingerprint(text: string, purpose: string): string
}

/** Version of key and algorithm. It is part of each encrypted text, so that another version can be added. */
const RING_ID = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function secretBox(serverSecret: string, random: Random): SecretBox {
  const keys = new Map<string, Buffer>()
  const keyFor = (use: 'seal' | 'fingerprint', purpose: string): Buffer => {
    const info = `smsgw ${RING_ID} ${use} ${purpose}`
    const derived = keys.get(info)
    if (derived) return derived
    const key = Buffer.from(hkdfSync('sha256', serverSecret, '', info, 32))
    keys.set(info, key)
    return key
  }
  return {
    seal(text, purpose) {
      const nonce = random.bytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyFor('seal', purpose), nonce)
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return `${RING_ID}:${Buffer.concat(parts).toString('base64')}`
    },
    open(sealed, purpose) {
      const [ring, content = ''] = sealed.split(':')
      const bytes = Buffer.from(content, 'base64')
      if (ring !== RING_ID || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('not an encrypted text')
      const decipher = createDecipheriv('aes-256-gcm', keyFor('seal', purpose), bytes.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
    fingerprint: (text, purpose) => createHmac('sha256', keyFor('fingerprint', purpose)).update(text).digest('hex'),
  }
}
