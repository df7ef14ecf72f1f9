import type { Random } from '../random.ts'

/** Capitals and digits without those that are taken for one another: I, L, O, 0 and 1. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const LENGTH = 10
/** By these a try finds its code; the six behind, one of 900 million, are the secret. */
const PREFIX_LENGTH = 4

/** Purpose of the keyed hash under which a code is stored. */
export const PAIRING_CODE = 'pairing-code'

export function newPairingCode(random: Random): string {
  // Beyond the last multiple of the alphabet's length some characters would come more often.
  const fair = ALPHABET.length * Math.floor(256 / ALPHABET.length)
  let code = ''
  while (code.length < LENGTH)
    for (const byte of random.bytes(LENGTH)) if (byte < fair) code += ALPHABET[byte % ALPHABET.length]
  return code.slice(0, LENGTH)
}

/** As typed, in any case, perhaps in groups. Undefined: it cannot be a code. */
export function typedPairingCode(typed: string): string | undefined {
  const code = typed.slice(0, MOST_TYPED).replace(/[\s-]/g, '').toUpperCase()
  return code.length === LENGTH && [...code].every((character) => ALPHABET.includes(character)) ? code : undefined
}

export function prefixOf(code: string): string {
  return code.slice(0, PREFIX_LENGTH)
}

const MOST_TYPED = 64
