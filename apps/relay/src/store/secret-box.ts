import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import type { Random } from '../random.ts'

/** Keeps secrets in the database without the database knowing them. A purpose is part of the key. */
export interface SecretBox {
  seal(text: string, purpose: string): string
  /** Throws when the text was sealed with another secret or for another purpose, or was changed. */
  open(sealed: string, purpose: string): string
  /** A keyed hash in hex: finds what it may not keep. */
  fingerprint(text: string, purpose: string): string
}

/** Names key and algorithm in what is sealed, so that another can come beside it. */
const RING_ID = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function secretBox(serverSecret: string, random: Random): SecretBox {
  const keys = new Map<string, Buffer>()
  const keyFor = (use: 'seal' | 'fingerprint', purpose: string): Buffer => {
    const info = `smsgw ${RING_ID} ${use} ${purpose}`
    const known = keys.get(info)
    if (known) return known
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
      if (ring !== RING_ID || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('not something that was sealed')
      const decipher = createDecipheriv('aes-256-gcm', keyFor('seal', purpose), bytes.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
    fingerprint: (text, purpose) => createHmac('sha256', keyFor('fingerprint', purpose)).update(text).digest('hex'),
  }
}
