import { DecodedBase64 } from '@smsgw/contract/fields/decoded-base64'
import { CollectedText } from '@smsgw/contract/messages/collected-text'
import { type AttachmentOctets, isEncrypted } from '@smsgw/contract/messages/mms'

/** The size is a multiple of three, so that the base64 texts of the pieces can be joined. */
const PIECE_BYTES = 48 * 1024

/** Decodes a base64 text that arrives in parts, and can return the same text again. The parts contain no padding. */
export class OctetPieces {
  readonly #full: Buffer[] = []
  #piece = Buffer.alloc(0)
  #used = 0
  /** Up to three digits that were not decoded yet. */
  #pending = ''
  #digits = 0

  /** Number of digits until now. */
  get digits(): number {
    return this.#digits
  }

  add(digits: string): void {
    this.#digits += digits.length
    const text = this.#pending + digits
    const whole = text.length - (text.length % 4)
    this.#pending = text.slice(whole)
    for (let from = 0; from < whole; ) {
      if (this.#used === this.#piece.length) this.#newPiece()
      const end = Math.min(whole, from + ((this.#piece.length - this.#used) / 3) * 4)
      this.#used += this.#piece.write(text.slice(from, end), this.#used, 'base64')
      from = end
    }
  }

  /** Returns the octets, or undefined if the text with this padding is not the base64 that an encoder writes. */
  end(padding: string): DecodedBase64 | undefined {
    const last = this.#pending + padding
    const lastOctets = Buffer.from(last, 'base64')
    if (lastOctets.toString('base64') !== last) return undefined
    // Copies the rest, because otherwise the whole piece would stay in memory.
    const rest = Buffer.allocUnsafeSlow(this.#used + lastOctets.length)
    this.#piece.copy(rest, 0, 0, this.#used)
    lastOctets.copy(rest, this.#used)
    return new DecodedBase64([...this.#full, rest])
  }

  /** Returns the digits that were added, in parts. */
  *text(): Generator<string> {
    for (const piece of this.#full) yield piece.toString('base64')
    yield this.#piece.subarray(0, this.#used).toString('base64')
    yield this.#pending
  }

  #newPiece(): void {
    if (this.#used > 0) this.#full.push(this.#piece)
    this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
    this.#used = 0
  }
}

/** The characters of an encrypted text, which begins with `$`. JSON escapes none of them. */
export const ENCRYPTED_TEXT = /^\$[A-Za-z0-9+/=$.,:_-]+$/

/** Collects a text of ASCII characters that arrives in parts. */
export class TextPieces {
  readonly #full: Buffer[] = []
  #piece = Buffer.alloc(0)
  #used = 0

  add(text: string): void {
    for (let from = 0; from < text.length; ) {
      if (this.#used === this.#piece.length) {
        if (this.#used > 0) this.#full.push(this.#piece)
        this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
        this.#used = 0
      }
      const end = Math.min(text.length, from + this.#piece.length - this.#used)
      this.#used += this.#piece.write(text.slice(from, end), this.#used, 'latin1')
      from = end
    }
  }

  end(): CollectedText {
    // Copies the rest, because otherwise the whole piece would stay in memory.
    const rest = Buffer.allocUnsafeSlow(this.#used)
    this.#piece.copy(rest, 0, 0, this.#used)
    return new CollectedText([...this.#full, rest])
  }

  /** Returns the text, in parts. */
  *text(): Generator<string> {
    for (const piece of [...this.#full, this.#piece.subarray(0, this.#used)]) yield piece.toString('latin1')
  }
}

/** Returns the text in the request that the octets were read from. */
export function textOfOctets(octets: AttachmentOctets): string {
  return [...textPieces(octets)].join('')
}

export function* textPieces(octets: AttachmentOctets): Generator<string> {
  const encoding = octets instanceof CollectedText ? 'latin1' : 'base64'
  for (const { buffer, byteOffset, length } of octets.pieces)
    yield Buffer.from(buffer, byteOffset, length).toString(encoding)
}

/** Returns the octets of an attachment as they are stored: an encrypted text is stored as its characters. */
export function octetsOf(data: string | AttachmentOctets): AttachmentOctets {
  if (typeof data !== 'string') return data
  return isEncrypted(data) ? new CollectedText([Buffer.from(data)]) : new DecodedBase64([Buffer.from(data, 'base64')])
}
