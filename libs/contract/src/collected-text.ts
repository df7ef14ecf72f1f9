/**
 * A long encrypted text that was collected while its request arrived, so that it is in memory only once. It contains
 * only ASCII characters.
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

  /** The first characters. */
  start(length: number): string {
    return String.fromCharCode(...(this.pieces[0]?.subarray(0, length) ?? []))
  }
}
