const LONGEST = 64
const ALLOWED = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@+-]*$/u

/** Normalises a username, because different keyboards encode an ü in different ways. */
export function canonicalUsername(username: string): string {
  return username.normalize('NFC')
}

/**
 * Returns why a username is not allowed, or undefined when it is. In Basic authentication a colon would end the name.
 */
export function usernameProblem(username: string): string | undefined {
  if (username === '') return 'a username must not be empty'
  if ([...username].length > LONGEST) return `a username must have at most ${LONGEST} characters`
  if (!ALLOWED.test(username))
    return 'a username must begin with a letter or digit and contain only letters, digits and . _ @ + -'
  return undefined
}
