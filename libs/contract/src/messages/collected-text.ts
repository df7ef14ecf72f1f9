/**
 * A long encrypted text whose pieces were collected while its request arrived, so that the text is in memory only once.
 * It contains only ASCII characters.
 */
export class CollectedText {
  readonly pieces: readonly Uint8Array[]
  /** Number of characters. */
  readonly size: number

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces
    this.size = pieces.reduce((sum, { length }) => sum + length, 0)
  }

  get length(): number {
    return this.size
  }

  /** @param length the number of characters to return from the start of the text */
  start(length: number): string {
    return String.fromCharCode(...(this.pieces[0]?.subarray(0, length) ?? []))
  }
}
