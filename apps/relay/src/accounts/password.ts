import type { Random } from '../random.ts'

const SHORTEST = 8
/** In bytes of UTF-8. */
const LONGEST = 128

/** Keyboards differ in how they write an ü. */
export function canonicalPassword(password: string): string {
  return password.normalize('NFC')
}

/** What is wrong with it as a password; undefined: nothing. */
export function passwordProblem(password: string, username: string): string | undefined {
  const characters = [...password]
  if (characters.length < SHORTEST) return `a password has at least ${SHORTEST} characters`
  if (isTooLong(password)) return `a password has at most ${LONGEST} bytes`
  if (/\p{Cc}/u.test(password)) return 'a password holds no control characters, such as a tab'
  if (password.toLowerCase() === username.toLowerCase()) return 'a password must not be the user name'
  if (new Set(characters).size < 3) return 'a password has more than two different characters'
  return undefined
}

export function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > LONGEST
}

/** 100 bits, easy to read out: five groups of four, without look-alikes. */
export function generatePassword(random: Random): string {
  const characters = Array.from(random.bytes(20), (byte) => ALPHABET[byte % ALPHABET.length])
  return Array.from({ length: 5 }, (_, group) => characters.slice(group * 4, group * 4 + 4).join('')).join('-')
}

/** 32 of them: a byte is shared out evenly. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
