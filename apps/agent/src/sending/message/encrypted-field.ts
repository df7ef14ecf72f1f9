import { createDecipheriv, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { readEncryptedField } from '@smsgw/contract/encrypted-field'

/**
 * Decrypts `$aes-256-cbc/pbkdf2-sha1$i=<n>$<salt>$<ciphertext>`: the key has 32 bytes from PBKDF2-HMAC-SHA1, the salt is
 * also the IV, and the padding is PKCS#7. Keys are cached, because deriving a key is slow on purpose and fields may share a
 * salt.
 */
export class FieldOpener {
  readonly #passphrase: string
  readonly #keys = new Map<string, Promise<Buffer>>()

  constructor(passphrase: string) {
    this.#passphrase = passphrase
  }

  async open(field: string): Promise<OpenedField> {
    const read = readEncryptedField(field)
    if (!read.ok) return { ok: false, problem: read.problem }
    if (read.field.kind === 'public-key')
      return { ok: false, problem: 'is encrypted with a public key, but an agent decrypts only with a passphrase' }
    const { iterations, ciphertext } = read.field
    const salt = Buffer.from(read.field.salt, 'base64')
    try {
      const decipher = createDecipheriv('aes-256-cbc', await this.#key(salt, iterations), salt)
      const clear = Buffer.concat([decipher.update(ciphertext, 'base64'), decipher.final()])
      return { ok: true, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(clear) }
    } catch {
      // Wrong padding and wrong UTF-8 have the same cause. Details would help only an attacker.
      return { ok: false, problem: 'cannot be decrypted with the ENCRYPTION_PASSPHRASE of this agent' }
    }
  }

  #key(salt: Buffer, iterations: number): Promise<Buffer> {
    const name = `${iterations}:${salt.toString('base64')}`
    const known = this.#keys.get(name)
    if (known !== undefined) return known
    if (this.#keys.size >= mostKeys) this.#keys.clear()
    const derived = derive(this.#passphrase, salt, iterations, 32, 'sha1')
    this.#keys.set(name, derived)
    return derived
  }
}

export type OpenedField =
  | { readonly ok: true; readonly text: string }
  /** The text continues a sentence that begins with the name of the field. */
  | { readonly ok: false; readonly problem: string }

const derive = promisify(pbkdf2)
const mostKeys = 256
