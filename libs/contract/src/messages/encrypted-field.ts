import type { CollectedText } from './collected-text.ts'

/** A value that only the device can decrypt, with a passphrase or with its private key. */
export type EncryptedField = PassphraseField | PublicKeyField

/**
 * A value in the form `$aes-256-cbc/pbkdf2-sha1$i=<iterations>$<salt>$<ciphertext>`, with salt and ciphertext in
 * base64. The salt is also the IV.
 */
export interface PassphraseField {
  readonly kind: 'passphrase'
  readonly iterations: number
  readonly salt: string
  readonly ciphertext: string
}

/**
 * A value in the form `$rsa-oaep-aes-256-gcm$v=1$k=<version>$<wrapped key>$<iv>$<ciphertext>`, with wrapped key, IV
 * and ciphertext in base64. The key is wrapped with RSA-OAEP and SHA-256, and the ciphertext ends with the tag of
 * 16 bytes.
 */
export interface PublicKeyField {
  readonly kind: 'public-key'
  readonly keyVersion: number
  readonly wrappedKey: string
  readonly iv: string
  /** Ends with the tag. */
  readonly ciphertext: string
}

export type EncryptedFieldResult =
  | { readonly ok: true; readonly field: EncryptedField }
  /** The error message. It completes a sentence that starts with the name of the field. */
  | { readonly ok: false; readonly problem: string }

export function readEncryptedField(text: string): EncryptedFieldResult {
  if (text.startsWith('$rsa-')) return readPublicKeyField(text)
  const [, digits = '', salt = '', ciphertext = ''] = form.exec(text) ?? []
  if (digits === '') return { ok: false, problem: `is not encrypted: it must have the form ${expectedForm}` }
  const iterations = Number(digits)
  if (iterations < 1 || iterations > maxIterations)
    return { ok: false, problem: `has ${digits} iterations: use 1 to ${maxIterations}` }
  if (octets(salt) !== block) return { ok: false, problem: `has a salt of ${octets(salt)} bytes: use ${block}` }
  if (octets(ciphertext) % block !== 0)
    return {
      ok: false,
      problem: `has a ciphertext of ${octets(ciphertext)} bytes: the length must be a multiple of ${block}`,
    }
  return { ok: true, field: { kind: 'passphrase', iterations, salt, ciphertext } }
}

/** Reads a value that may be long. If the text was collected, checks only the part before the ciphertext. */
export function readEncryptedValue(value: string | CollectedText): EncryptedFieldResult {
  if (typeof value === 'string') return readEncryptedField(value)
  const start = value.start(longestStart)
  return readEncryptedField(start.slice(0, start.lastIndexOf('$') + 1) + anyCiphertext)
}

/** Returns true if the value was encrypted with the public key of a device. */
export function needsPrivateKey(value: string | CollectedText): boolean {
  const read = readEncryptedValue(value)
  return read.ok && read.field.kind === 'public-key'
}

function readPublicKeyField(text: string): EncryptedFieldResult {
  const [, version = '', wrappedKey = '', iv = '', ciphertext = ''] = publicKeyForm.exec(text) ?? []
  if (version === '') return { ok: false, problem: `is not encrypted: it must have the form ${expectedPublicKeyForm}` }
  if (octets(wrappedKey) < leastKey)
    return { ok: false, problem: `has a key of ${octets(wrappedKey)} bytes: use at least ${leastKey}` }
  if (octets(iv) !== ivLength) return { ok: false, problem: `has an IV of ${octets(iv)} bytes: use ${ivLength}` }
  if (octets(ciphertext) <= tagLength)
    return { ok: false, problem: 'has an empty ciphertext: encrypt at least one byte' }
  return { ok: true, field: { kind: 'public-key', keyVersion: Number(version), wrappedKey, iv, ciphertext } }
}

/** The start of a value, up to its ciphertext, is always shorter than this. */
const longestStart = 4_096
/** Stands for the ciphertext in the check of a collected text. Its length is valid. */
const anyCiphertext = 'A'.repeat(64)

/** RSA with 2048 bits. */
const leastKey = 256
const ivLength = 12
export const tagLength = 16
const expectedPublicKeyForm = '$rsa-oaep-aes-256-gcm$v=1$k=<version>$<wrapped key>$<iv>$<ciphertext>'
const publicKeyForm =
  /^\$rsa-oaep-aes-256-gcm\$v=1\$k=(\d{1,10})\$([A-Za-z0-9+/]{1,2048}={0,2})\$([A-Za-z0-9+/]{1,64}={0,2})\$([A-Za-z0-9+/]+={0,2})$/

/**
 * The largest number of iterations. Ten million take a few seconds on a Raspberry Pi, and more are probably an attack.
 */
const maxIterations = 10_000_000
const block = 16
const expectedForm = '$aes-256-cbc/pbkdf2-sha1$i=<iterations>$<salt>$<ciphertext>'
const form = /^\$aes-256-cbc\/pbkdf2-sha1\$i=(\d{1,9})\$([A-Za-z0-9+/]{1,64}={0,2})\$([A-Za-z0-9+/]+={0,2})$/

function octets(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 6) / 8)
}
