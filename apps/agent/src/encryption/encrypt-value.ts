import { constants, createCipheriv, createPublicKey, type KeyObject, publicEncrypt, randomBytes } from 'node:crypto'
import type { EncryptionKey } from '@smsgw/contract/link/event'
import { tagLength } from '@smsgw/contract/messages/encrypted-field'

/**
 * Encrypts a text so that only the owner of the private key can read it. Uses a new AES-256 key and IV for each value.
 */
export function encryptValue({ publicKey, version }: EncryptionKey, text: string): string {
  const rsaKey = rsaKeyIn(publicKey)
  const contentKey = randomBytes(32)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', contentKey, iv, { authTagLength: tagLength })
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  const wrapped = publicEncrypt({ key: rsaKey, padding, oaepHash: 'sha256' }, contentKey)
  const members = [wrapped, iv, ciphertext].map((octets) => octets.toString('base64'))
  return `$rsa-oaep-aes-256-gcm$v=1$k=${version}$${members.join('$')}`
}

/** Returns true if values can be encrypted with this key, which came from the relay. */
export function isUsableKey(publicKey: string): boolean {
  try {
    return rsaKeyIn(publicKey).asymmetricKeyType === 'rsa' && encryptValue({ publicKey, version: 1 }, '') !== ''
  } catch {
    return false
  }
}

function rsaKeyIn(publicKey: string): KeyObject {
  return createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
}
