const LONGEST = 64
const ALLOWED = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@+-]*$/u

/** The one spelling in which a name is stored and looked up: keyboards differ in how they write an ü. */
export function canonicalUsername(username: string): string {
  return username.normalize('NFC')
}

/** What is wrong with it as a user name; undefined: nothing. A colon would end it in Basic authentication. */
export function usernameProblem(username: string): string | undefined {
  if (username === '') return 'a user name is needed'
  if ([...username].length > LONGEST) return `a user name has at most ${LONGEST} characters`
  if (!ALLOWED.test(username))
    return 'a user name begins with a letter or digit and goes on with those or any of . _ @ + -'
  return undefined
}
