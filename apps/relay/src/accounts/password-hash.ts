import { hash, verify } from '@node-rs/argon2'
import type { SecretBox } from '../store/secret-box.ts'
import { canonicalPassword } from './password.ts'

/**
 * argon2id with 19 MiB, two passes and one lane is the OWASP minimum and takes about 5 ms of one core. Its input is a
 * keyed hash of the password, so that passwords in a stolen database cannot be guessed without SERVER_SECRET.
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** The hash of an account that is being removed. No password matches it. */
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
