import { hash, verify } from '@node-rs/argon2'
import type { SecretBox } from '../store/secret-box.ts'
import { canonicalPassword } from './password.ts'

/**
 * argon2id with 19 MiB, two passes, one lane: the least that OWASP recommends, about 5 ms of one core. Under it lies a
 * keyed hash, so that a stolen database without the server's secret allows no guesses at all.
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Stands where an account has no password any more: nothing matches it. */
export const NO_PASSWORD = '-'

export type Pepper = Pick<SecretBox, 'fingerprint'>

export function hashPassword(pepper: Pepper, password: string): Promise<string> {
  return hash(peppered(pepper, password), COST)
}

export function matchesPassword(pepper: Pepper, passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, peppered(pepper, password))
}

function peppered(pepper: Pepper, password: string): string {
  return pepper.fingerprint(canonicalPassword(password), 'password')
}
