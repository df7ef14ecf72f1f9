import { createDecipheriv, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'

/**
 * Opens `$aes-256-cbc/pbkdf2-sha1$i=<n>$<salt>$<ciphertext>`, as clients write it: a key of 32 bytes by
 * PBKDF2-HMAC-SHA1, the salt being the IV as well, PKCS#7. Keys are kept for as long as the opener is: one message uses
 * one salt for its text and its numbers or one each, and deriving is slow on purpose.
 */
export class FieldOpener {
  readonly #passphrase: string
  readonly #keys = new Map<string, Promise<Buffer>>()

  constructor(passphrase: string) {
    this.#passphrase = passphrase
  }

  async open(field: string): Promise<OpenedField> {
    const parts = fieldForm.exec(field)?.groups
    if (parts === undefined) return refused('it is not in the form $aes-256-cbc/pbkdf2-sha1$i=<n>$<salt>$<ciphertext>')
    const iterations = Number(parts['iterations'])
    if (iterations < 1 || iterations > mostIterations) return refused(`its iterations are not in 1–${mostIterations}`)
    const salt = Buffer.from(String(parts['salt']), 'base64')
    if (salt.length !== 16) return refused(`its salt has ${salt.length} bytes, not 16`)
    try {
      const decipher = createDecipheriv('aes-256-cbc', await this.#key(salt, iterations), salt)
      const clear = Buffer.concat([decipher.update(String(parts['ciphertext']), 'base64'), decipher.final()])
      return { ok: true, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(clear) }
    } catch {
      // Padding and UTF-8 that come out wrong have one cause, and no detail of it helps anybody but an attacker.
      return refused("it does not open with this agent's passphrase")
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

export type OpenedField = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string }

const derive = promisify(pbkdf2)
const fieldForm =
  /^\$aes-256-cbc\/pbkdf2-sha1\$i=(?<iterations>\d{1,9})\$(?<salt>[A-Za-z0-9+/=]{1,64})\$(?<ciphertext>[A-Za-z0-9+/=]+)$/
// Ten million take some seconds on a Pi: more is an attack on it.
const mostIterations = 10_000_000
const mostKeys = 256

function refused(why: string): OpenedField {
  return { ok: false, reason: `the encrypted content cannot be opened: ${why}` }
}
