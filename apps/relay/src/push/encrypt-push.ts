import { createCipheriv, createECDH, hkdfSync } from 'node:crypto'
import type { Random } from '../random.ts'

/** The keys of a browser's subscription, as bytes. */
export interface BrowserKeys {
  /** Public key on P-256, uncompressed. */
  readonly p256dh: Uint8Array
  readonly auth: Uint8Array
}

const SALT_BYTES = 16
const KEY_BYTES = 32
const RECORD_BYTES = 4_096
/** Content is padded to a multiple of this length, which hides the length of the text. */
const PADDED_TO = 1_024
const LAST_RECORD = 2

/**
 * Encrypts the content of a notification for a browser (RFC 8291) as a single record of `aes128gcm` (RFC 8188). Each
 * call uses a new key pair and salt.
 */
export function encryptPush(content: string, browser: BrowserKeys, random: Random): Buffer {
  const salt = random.bytes(SALT_BYTES)
  const own = createECDH('prime256v1')
  own.setPrivateKey(random.bytes(KEY_BYTES))
  const shared = own.computeSecret(browser.p256dh)
  const publicKey = own.getPublicKey()
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), browser.p256dh, publicKey])
  const input = derive(browser.auth, shared, keyInfo, 32)
  const key = derive(salt, input, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(salt, input, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  return Buffer.concat([
    salt,
    uint32(RECORD_BYTES),
    Buffer.from([publicKey.length]),
    publicKey,
    cipher.update(padded(Buffer.from(content))),
    cipher.final(),
    cipher.getAuthTag(),
  ])
}

/** Returns true if the bytes are a point of P-256, which encryption requires. */
export function isPublicKey(bytes: Uint8Array): boolean {
  try {
    const own = createECDH('prime256v1')
    own.generateKeys()
    own.computeSecret(bytes)
    return true
  } catch {
    return false // the point is not on the curve
  }
}

function padded(content: Buffer): Buffer {
  const length = Math.ceil((content.length + 1) / PADDED_TO) * PADDED_TO
  const record = Buffer.alloc(length)
  content.copy(record)
  record.writeUInt8(LAST_RECORD, content.length)
  return record
}

function derive(salt: Uint8Array, input: Uint8Array, info: Uint8Array, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', input, salt, info, bytes))
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
