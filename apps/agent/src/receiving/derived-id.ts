import { createHash } from 'node:crypto'

/** One event has one id for ever, however often it is read: it follows from facts alone. 27 characters of A-Za-z0-9_-. */
export function derivedId(...facts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 27)
}
