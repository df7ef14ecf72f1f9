import type { Random } from '../random.ts'
import type { Pepper } from './password-hash.ts'

/** 32 characters without lookalikes, so that each character stands for five bits. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
const FORM = /^([a-km-np-z2-9]{4}(?:-[a-km-np-z2-9]{4}){3})-([a-km-np-z2-9]{4})$/

/**
 * Generates a password that is easy to read out: five groups of four characters. Four groups are random (80 bits). The
 * last group is a keyed hash of these four groups (20 bits), so that this installation recognises its generated
 * passwords without storing them. All 100 bits are unknown to anyone who does not know SERVER_SECRET.
 */
export function generatePassword(pepper: Pepper, random: Random): string {
  const characters = Array.from(random.bytes(16), (byte) => ALPHABET[byte % ALPHABET.length])
  const groups = [0, 4, 8, 12].map((from) => characters.slice(from, from + 4).join(''))
  const secret = groups.join('-')
  return `${secret}-${tagOf(pepper, secret)}`
}

/**
 * Returns true if this installation generated the password. One invented password in a million is also accepted, but it
 * is not the password of an account.
 */
export function isGeneratedPassword(pepper: Pepper, password: string): boolean {
  const [, secret, tag] = FORM.exec(password) ?? []
  return secret !== undefined && tag === tagOf(pepper, secret)
}

function tagOf(pepper: Pepper, secret: string): string {
  const bits = Number.parseInt(pepper.fingerprint(secret, 'generated password').slice(0, 5), 16)
  return [15, 10, 5, 0].map((shift) => ALPHABET[(bits >> shift) & 31]).join('')
}
