import { crc32 } from 'node:zlib'
import { KEY_PREFIX } from '@smsgw/contract/access/api-key'
import { type Random, randomCode } from '../../random.ts'

// smsgw_live_<id>_<secret><checksum>: 12, 32 and 6 characters of 0-9A-Za-z. The secret has 190 random bits. The
// checksum is the CRC-32 of everything before it, so that scanners find keys without false alarms.

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 12
const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 6
const PATTERN = new RegExp(`^${KEY_PREFIX}([0-9A-Za-z]{${ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

export function newKeyId(random: Random): string {
  return randomCode(random, ALPHABET, ID_LENGTH)
}

export function newKey(random: Random, id: string): string {
  const text = `${keyStart(id)}${randomCode(random, ALPHABET, SECRET_LENGTH)}`
  return text + checksumOf(text)
}

/** Returns the beginning of a key, which is not secret. */
export function keyStart(id: string): string {
  return `${KEY_PREFIX}${id}_`
}

/** Returns true if the text is meant to be a key, even if it is mistyped. */
export function isKeyText(text: string): boolean {
  return text.startsWith(KEY_PREFIX)
}

/** Returns the id in a well-formed key. */
export function idOfKey(text: string): string | undefined {
  const [, id] = PATTERN.exec(text) ?? []
  return id !== undefined && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
    ? id
    : undefined
}

function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < CHECKSUM_LENGTH) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}
