/**
 * The octets of a base64 text that were decoded while its request arrived, so that the text itself is never in memory.
 * The pieces, except the last piece, have a length that is a multiple of three, so that their base64 can be joined.
 */
export class DecodedBase64 {
  readonly pieces: readonly Uint8Array[]
  /** Number of octets. */
  readonly size: number

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces
    this.size = pieces.reduce((sum, { length }) => sum + length, 0)
  }

  /** Length of the text. */
  get length(): number {
    return Math.ceil(this.size / 3) * 4
  }
}
