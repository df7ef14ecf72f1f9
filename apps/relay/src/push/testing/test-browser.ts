// The part that a browser has in RFC 8291, written with the Web Crypto API and without code of the relay.
import { type JsonWebKey, webcrypto } from 'node:crypto'

const { subtle } = webcrypto

export interface TestBrowser {
  /** The keys in the form in which `PushSubscription.toJSON()` returns them. */
  readonly keys: { readonly p256dh: string; readonly auth: string }
  decrypt(body: Uint8Array): Promise<string>
}

export async function testBrowser(given?: {
  readonly privateJwk: JsonWebKey
  readonly auth: Uint8Array<ArrayBuffer>
}): Promise<TestBrowser> {
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const privateKey =
    given === undefined
      ? ((await subtle.generateKey(curve, true, ['deriveBits'])) as webcrypto.CryptoKeyPair).privateKey
      : await subtle.importKey('jwk', given.privateJwk, curve, true, ['deriveBits'])
  const { x = '', y = '' } = await subtle.exportKey('jwk', privateKey)
  const publicKey = Uint8Array.from([4, ...Buffer.from(x, 'base64url'), ...Buffer.from(y, 'base64url')])
  const auth = given?.auth ?? webcrypto.getRandomValues(new Uint8Array(16))
  return {
    keys: { p256dh: Buffer.from(publicKey).toString('base64url'), auth: Buffer.from(auth).toString('base64url') },
    async decrypt(body) {
      const bytes = new Uint8Array(body)
      const salt = bytes.slice(0, 16)
      const keyLength = bytes[20] ?? 0
      const sender = bytes.slice(21, 21 + keyLength)
      const peer = await subtle.importKey('raw', sender, curve, false, [])
      const shared = await subtle.deriveBits({ name: 'ECDH', public: peer }, privateKey, 256)
      const input = await hkdf(shared, auth, join(text('WebPush: info\0'), publicKey, sender), 256)
      const key = await hkdf(input, salt, text('Content-Encoding: aes128gcm\0'), 128)
      const iv = await hkdf(input, salt, text('Content-Encoding: nonce\0'), 96)
      const cipher = await subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt'])
      const record = new Uint8Array(await subtle.decrypt({ name: 'AES-GCM', iv }, cipher, bytes.slice(21 + keyLength)))
      const end = record.findLastIndex((byte) => byte !== 0)
      if (record[end] !== 2) throw new Error('the last record does not end with 2')
      return new TextDecoder().decode(record.subarray(0, end))
    },
  }
}

async function hkdf(
  secret: webcrypto.BufferSource,
  salt: webcrypto.BufferSource,
  info: webcrypto.BufferSource,
  bits: number,
): Promise<ArrayBuffer> {
  const key = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  return subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, bits)
}

function text(value: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(value)
}

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts))
}
