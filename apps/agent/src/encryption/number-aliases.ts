import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { aliasPrefix, isNumberAlias } from '@smsgw/contract/devices/number-alias'
import type { AliasKey, EncryptionKey } from '@smsgw/contract/link/event'
import { encryptValue } from './encrypt-value.ts'

/**
 * Aliases of phone numbers, for accounts that hide senders from the relay. A number always has the same alias. The
 * alias contains the encrypted number, so this agent can send to the alias without a table.
 *
 * All keys are derived from one secret, which never leaves this machine. For each key of the account, a different key
 * is derived for the aliases. Therefore, a relay that replaces the account's key cannot decrypt earlier aliases.
 *
 * The IV is a MAC of the number (a synthetic IV, as in RFC 5297), because equal numbers must have equal aliases.
 */
export class NumberAliases {
  readonly #secret: Buffer

  constructor(secret: Buffer) {
    this.#secret = secret
  }

  aliasOf(number: string, { publicKey }: Pick<EncryptionKey, 'publicKey'>): string {
    // An empty number is a withheld number, which has no alias.
    if (number === '') return ''
    const id = this.#idFor(publicKey)
    const { mac, cipher } = this.#keysOf(id)
    const clear = padded(number)
    const iv = hmac(mac, clear).subarray(0, ivLength)
    const ciphertext = createCipheriv(algorithm, cipher, iv).update(clear)
    return `${aliasPrefix}${id}${Buffer.concat([iv, ciphertext]).toString('base64url')}`
  }

  /** Returns undefined if the alias was made with another secret or was altered. */
  numberOf(alias: string): string | undefined {
    if (!isNumberAlias(alias)) return undefined
    const bodyAt = aliasPrefix.length + idLength
    const { mac, cipher } = this.#keysOf(alias.slice(aliasPrefix.length, bodyAt))
    const octets = Buffer.from(alias.slice(bodyAt), 'base64url')
    const iv = octets.subarray(0, ivLength)
    const clear = createDecipheriv(algorithm, cipher, iv).update(octets.subarray(ivLength))
    if (!timingSafeEqual(hmac(mac, clear).subarray(0, ivLength), iv)) return undefined
    return clear.toString().replace(/\0+$/, '')
  }

  /**
   * Returns the alias key, encrypted with this key of the account. The alias key decrypts the aliases that were made
   * for the account key.
   */
  keyFor(key: EncryptionKey): AliasKey {
    const id = this.#idFor(key.publicKey)
    const { mac, cipher } = this.#keysOf(id)
    return { id, key: encryptValue(key, Buffer.concat([mac, cipher]).toString('base64')) }
  }

  /**
   * Returns the id of a received message for the relay. On this machine, the id is a hash of the whole message. The
   * relay must not receive this hash, because anyone could use it to confirm a guess of the number and the text.
   */
  hiddenId(id: string): string {
    return hmac(this.#secret, `id ${id}`).toString('base64url').slice(0, 27)
  }

  #idFor(publicKey: string): string {
    const fingerprint = createHash('sha256').update(publicKey, 'base64').digest('hex')
    return hmac(this.#secret, `key for ${fingerprint}`).toString('base64url').slice(0, idLength)
  }

  #keysOf(id: string): { readonly mac: Buffer; readonly cipher: Buffer } {
    return { mac: hmac(this.#secret, `mac ${id}`), cipher: hmac(this.#secret, `cipher ${id}`) }
  }
}

function hmac(key: Buffer, value: string | Buffer): Buffer {
  return createHmac('sha256', key).update(value).digest()
}

/**
 * Pads a number with zero bytes to the next multiple of 20 bytes, so that the length of an alias reveals little. A
 * number of more than 60 bytes is shortened.
 */
function padded(number: string): Buffer {
  const characters = [...number]
  let octets = Buffer.from(number)
  while (octets.length > mostOctets) {
    characters.pop()
    octets = Buffer.from(characters.join(''))
  }
  return Buffer.concat([octets], Math.ceil(octets.length / block) * block)
}

const algorithm = 'aes-256-ctr'
const ivLength = 16
/** 12 bytes in base64url. */
const idLength = 16
const block = 20
const mostOctets = 60
