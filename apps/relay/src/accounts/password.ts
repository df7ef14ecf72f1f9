import type { ValueProblem } from '../http/errors/api-error.ts'

const SHORTEST = 8
/** The maximum length in bytes of UTF-8. */
const LONGEST = 128

/** Normalises a password, because different keyboards encode an ü in different ways. */
export function canonicalPassword(password: string): string {
  return password.normalize('NFC')
}

/** Returns why a password is not allowed, or undefined when it is. */
export function passwordProblem(password: string, username: string): ValueProblem | undefined {
  const characters = [...password]
  if (characters.length < SHORTEST) {
    const message = `a password needs at least ${SHORTEST} characters`
    return { reason: 'password_too_short', values: { minimum: SHORTEST }, message }
  }
  if (isTooLong(password)) {
    const message = `a password must have at most ${LONGEST} bytes`
    return { reason: 'password_too_long', values: { maximum: LONGEST }, message }
  }
  if (/\p{Cc}/u.test(password))
    return { reason: 'control_characters', message: 'a password must not contain control characters such as a tab' }
  if (password.toLowerCase() === username.toLowerCase())
    return { reason: 'password_is_username', message: 'a password must not be the username' }
  if (new Set(characters).size < 3)
    return { reason: 'password_too_simple', message: 'a password needs more than two different characters' }
  return undefined
}

export function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > LONGEST
}
