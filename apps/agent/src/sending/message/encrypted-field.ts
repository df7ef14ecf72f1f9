import { createDecipheriv, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { type PassphraseField, type PublicKeyField, readEncryptedField } from '@smsgw/contract/messages/encrypted-field'
import type { DeviceKeys } from '../../encryption/device-keys.ts'

/**
 * Decrypts aliases of phone numbers, values encrypted with the passphrase, and values encrypted with the keys of the
 * device. The passphrase is used with AES-256-CBC and PKCS#7 padding, a key of 32 bytes from PBKDF2-HMAC-SHA1, and the
 * salt as IV. Keys from the passphrase are cached, because deriving a key is slow on purpose, and several fields may
 * have the same salt.
 */
export class FieldOpener {
  readonly #passphrase: string | undefined
  readonly #deviceKeys: DeviceKeys | undefined
  readonly #keys = new Map<string, Promise<Buffer>>()

  constructor({ passphrase, deviceKeys }: FieldSecrets) {
    this.#passphrase = passphrase
    this.#deviceKeys = deviceKeys
  }

  async open(field: string): Promise<OpenedField> {
    const read = readEncryptedField(field)
    if (!read.ok) return { ok: false, problem: read.problem }
    return read.field.kind === 'public-key' ? this.#openWithKey(read.field) : this.#openWithPassphrase(read.field)
  }

  /** Returns the phone number of an alias that this agent reported as the sender of a message. */
  numberOf(alias: string): OpenedField {
    const text = this.#deviceKeys?.aliases.numberOf(alias)
    if (text !== undefined) return { ok: true, text }
    return { ok: false, problem: 'is an alias from another device: send the message with that device' }
  }

  async #openWithKey(field: PublicKeyField): Promise<OpenedField> {
    const { keyVersion } = field
    if (this.#deviceKeys?.has(keyVersion) !== true) {
      const problem = `is encrypted for key version ${keyVersion}, which this agent does not have: use the publicKey that GET /devices shows`
      return { ok: false, problem }
    }
    const clear = textOf(await this.#deviceKeys.decrypt(field))
    return clear ?? { ok: false, problem: `cannot be decrypted with version ${keyVersion} of the key of this agent` }
  }

  async #openWithPassphrase({ salt, iterations, ciphertext }: PassphraseField): Promise<OpenedField> {
    if (this.#passphrase === undefined) {
      const problem = 'is encrypted with a passphrase, but this agent has none: set ENCRYPTION_PASSPHRASE for the agent'
      return { ok: false, problem }
    }
    const iv = Buffer.from(salt, 'base64')
    const clear = textOf(decrypted(ciphertext, await this.#key(this.#passphrase, iv, iterations), iv))
    return clear ?? { ok: false, problem: 'cannot be decrypted with the ENCRYPTION_PASSPHRASE of this agent' }
  }

  #key(passphrase: string, salt: Buffer, iterations: number): Promise<Buffer> {
    const name = `${iterations}:${salt.toString('base64')}`
    const known = this.#keys.get(name)
    if (known !== undefined) return known
    if (this.#keys.size >= mostKeys) this.#keys.clear()
    const derivedKey = derive(passphrase, salt, iterations, 32, 'sha1')
    this.#keys.set(name, derivedKey)
    return derivedKey
  }
}

interface FieldSecrets {
  readonly passphrase?: string | undefined
  readonly deviceKeys?: DeviceKeys | undefined
}

export type OpenedField =
  | { readonly ok: true; readonly text: string }
  /** Completes a sentence that begins with the name of the field. */
  | { readonly ok: false; readonly problem: string }

/** Returns undefined if the padding is wrong. */
function decrypted(ciphertext: string, key: Buffer, iv: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-cbc', key, iv)
  const first = decipher.update(ciphertext, 'base64')
  try {
    return Buffer.concat([first, decipher.final()])
  } catch {
    return undefined
  }
}

/** Returns undefined if the octets are not UTF-8, which means that the key was wrong. */
function textOf(octets: Buffer | undefined): OpenedField | undefined {
  if (octets === undefined) return undefined
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets) }
  } catch {
    return undefined
  }
}

const derive = promisify(pbkdf2)
const mostKeys = 256
