import { type Random, randomCode } from '../../random.ts'

/** Capital letters and digits, without the characters I, L, O, 0 and 1, which look alike. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const LENGTH = 10
/**
 * The first characters are the key of the row. The other six characters are the secret, with 900 million combinations.
 */
const PREFIX_LENGTH = 4

/** Purpose of the keyed hash of a stored code. */
export const PAIRING_CODE = 'pairing-code'

export function newPairingCode(random: Random): string {
  return randomCode(random, ALPHABET, LENGTH)
}

/**
 * Normalises a typed code, which may contain lower-case letters, spaces and hyphens. Returns undefined when the text
 * cannot be a code.
 */
export function typedPairingCode(typed: string): string | undefined {
  const code = typed.slice(0, MOST_TYPED).replace(/[\s-]/g, '').toUpperCase()
  return code.length === LENGTH && [...code].every((character) => ALPHABET.includes(character)) ? code : undefined
}

export function prefixOf(code: string): string {
  return code.slice(0, PREFIX_LENGTH)
}

const MOST_TYPED = 64
