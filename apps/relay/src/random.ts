import { randomFillSync } from 'node:crypto'

export interface Random {
  bytes(count: number): Uint8Array
}

export const systemRandom: Random = { bytes: takeBytes }

/**
 * Random bytes for later use. One call fills all of them, because with separate calls, generating an id would take six
 * times as long.
 */
const stock = new Uint8Array(4096)
let taken = stock.length

function takeBytes(count: number): Uint8Array {
  if (count > stock.length) return randomFillSync(new Uint8Array(count))
  if (taken + count > stock.length) {
    randomFillSync(stock)
    taken = 0
  }
  const bytes = stock.slice(taken, taken + count)
  // Deletes the bytes, because they may become a secret.
  stock.fill(0, taken, taken + count)
  taken += count
  return bytes
}

const ID_LENGTH = 21
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'

/** Returns an id of 21 characters of `A-Za-z0-9_-`, which are 126 bits. */
export function newId(random: Random): string {
  let id = ''
  for (const byte of random.bytes(ID_LENGTH)) id += ALPHABET[byte & 63]
  return id
}

const TIME_LENGTH = 7
/** The characters in the order of their codes, so that ids are sorted by time. */
const SORTED_ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'

/**
 * Returns an id like `newId` that begins with the time in milliseconds, followed by 84 random bits. With these ids, the
 * index adds rows of the same time to the same pages. With random ids, each row of a large table would change a
 * different page, and PostgreSQL writes each changed page completely to its log after each checkpoint.
 */
export function newTimedId(random: Random, at: Date): string {
  let time = ''
  for (let rest = at.getTime(), digit = 0; digit < TIME_LENGTH; digit += 1) {
    time = SORTED_ALPHABET[rest % 64] + time
    rest = Math.floor(rest / 64)
  }
  let id = time
  for (const byte of random.bytes(ID_LENGTH - TIME_LENGTH)) id += ALPHABET[byte & 63]
  return id
}

/** Returns a code whose characters are all equally likely. */
export function randomCode(random: Random, alphabet: string, length: number): string {
  // Skips random bytes from this value on, because they would make some characters more frequent.
  const fair = alphabet.length * Math.floor(256 / alphabet.length)
  let text = ''
  while (text.length < length)
    for (const byte of random.bytes(length)) if (byte < fair) text += alphabet[byte % alphabet.length]
  return text.slice(0, length)
}
