import { DecodedBase64 } from '@smsgw/contract/decoded-base64'

/** A multiple of three, so that the base64 of pieces can be joined. */
const PIECE_BYTES = 48 * 1024

/** Decodes a base64 text that arrives in parts, and returns the same text if asked. The parts contain no padding. */
export class OctetPieces {
  readonly #full: Buffer[] = []
  #piece = Buffer.alloc(0)
  #used = 0
  /** Fewer than four digits. */
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
    // Copied, because otherwise the whole piece would stay in memory.
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

/** Returns the text of octets. */
export function base64Of(octets: DecodedBase64): string {
  return [...base64Parts(octets)].join('')
}

export function* base64Parts({ pieces }: DecodedBase64): Generator<string> {
  for (const { buffer, byteOffset, length } of pieces) yield Buffer.from(buffer, byteOffset, length).toString('base64')
}
