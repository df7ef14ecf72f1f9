/**
 * Returns WebCrypto, which Node.js 18 has only as a module. The name of the module is in a variable, so that bundlers
 * do not search for the module.
 */
export async function webCrypto(): Promise<Crypto> {
  if (globalThis.crypto?.subtle !== undefined) return globalThis.crypto
  const module = 'node:crypto'
  const { webcrypto } = (await import(module)) as { webcrypto: Crypto }
  return webcrypto
}

/** Returns a key for `Idempotency-Key`: 128 random bits in hexadecimal. */
export async function randomKey(): Promise<string> {
  const bytes = (await webCrypto()).getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export async function hmacKey(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const { subtle } = await webCrypto()
  return subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Returns the bytes of base64 or hexadecimal text, or undefined for other text. */
export function bytesOf(text: string, encoding: 'base64' | 'hex'): Uint8Array<ArrayBuffer> | undefined {
  if (encoding === 'hex') {
    if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return undefined
    return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) return undefined
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
