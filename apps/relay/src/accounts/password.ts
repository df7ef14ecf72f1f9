import type { Random } from '../random.ts'

const SHORTEST = 8
/** Bytes in UTF-8. */
const LONGEST = 128

/** Normalises a password, because keyboards encode an ü in different ways. */
export function canonicalPassword(password: string): string {
  return password.normalize('NFC')
}

/** Returns why a password is not allowed, or undefined when it is. */
export function passwordProblem(password: string, username: string): string | undefined {
  const characters = [...password]
  if (characters.length < SHORTEST) return `a password needs at least ${SHORTEST} characters`
  if (isTooLong(password)) return `a password has at most ${LONGEST} bytes`
  if (/\p{Cc}/u.test(password)) return 'a password must not contain control characters such as a tab'
  if (password.toLowerCase() === username.toLowerCase()) return 'a password must not be the user name'
  if (new Set(characters).size < 3) return 'a password needs more than two different characters'
  return undefined
}

export function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > LONGEST
}

/** Generates a password of 100 bits that is easy to read out. It has five groups of four characters without lookalikes. */
export function generatePassword(random: Random): string {
  const characters = Array.from(random.bytes(20), (byte) => ALPHABET[byte % ALPHABET.length])
  return Array.from({ length: 5 }, (_, group) => characters.slice(group * 4, group * 4 + 4).join('')).join('-')
}

/** 32 characters, so that bytes map to them evenly. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
