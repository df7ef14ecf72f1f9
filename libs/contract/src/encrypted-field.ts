/**
 * A value that only the agent can decrypt. Its form is `$aes-256-cbc/pbkdf2-sha1$i=<iterations>$<salt>$<ciphertext>`, with
 * salt and ciphertext in base64. The salt is also the IV.
 */
export interface EncryptedField {
  readonly iterations: number
  readonly salt: string
  readonly ciphertext: string
}

export type EncryptedFieldResult =
  | { readonly ok: true; readonly field: EncryptedField }
  /** Completes a sentence that starts with the name of the field. */
  | { readonly ok: false; readonly problem: string }

export function readEncryptedField(text: string): EncryptedFieldResult {
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
  return { ok: true, field: { iterations, salt, ciphertext } }
}

/** Ten million iterations take a few seconds on a Raspberry Pi. More would be an attack. */
const maxIterations = 10_000_000
const block = 16
const expectedForm = '$aes-256-cbc/pbkdf2-sha1$i=<iterations>$<salt>$<ciphertext>'
const form = /^\$aes-256-cbc\/pbkdf2-sha1\$i=(\d{1,9})\$([A-Za-z0-9+/]{1,64}={0,2})\$([A-Za-z0-9+/]+={0,2})$/

function octets(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 6) / 8)
}
