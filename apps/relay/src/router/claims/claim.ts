/** What the directory knows about a credential. Secrets occur only as hashes. */
export interface Claim {
  /**
   * `user`: a username. `account`: the id of an account, from a token. `key`: the id of an API key. `session` and
   * `phone`: the hash of a token. `device`: the id of a device. `code`: the hash of a pairing code. `enrolment`: the
   * hash of an enrolment token.
   */
  readonly kind: 'user' | 'account' | 'key' | 'session' | 'phone' | 'device' | 'code' | 'enrolment'
  readonly name: string
}

/** Returns the key of a claim in a map. */
export function claimKey({ kind, name }: Claim): string {
  return `${kind} ${name}`
}
