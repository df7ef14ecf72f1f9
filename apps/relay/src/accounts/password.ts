const SHORTEST = 8
/** The maximum length in bytes of UTF-8. */
const LONGEST = 128

/** Normalises a password, because different keyboards encode an ü in different ways. */
export function canonicalPassword(password: string): string {
  return password.normalize('NFC')
}

/** Returns why a password is not allowed, or undefined when it is. */
export function passwordProblem(password: string, username: string): string | undefined {
  const characters = [...password]
  if (characters.length < SHORTEST) return `a password needs at least ${SHORTEST} characters`
  if (isTooLong(password)) return `a password must have at most ${LONGEST} bytes`
  if (/\p{Cc}/u.test(password)) return 'a password must not contain control characters such as a tab'
  if (password.toLowerCase() === username.toLowerCase()) return 'a password must not be the user name'
  if (new Set(characters).size < 3) return 'a password needs more than two different characters'
  return undefined
}

export function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > LONGEST
}
