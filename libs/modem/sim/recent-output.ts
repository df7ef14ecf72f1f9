/** The latest output of the modem, independent of the driver. */
export class RecentOutput {
  /** Decoded only when needed, because a modem may send thousands of chunks in one schedule. */
  #chunks: { readonly atMs: number; readonly bytes: Uint8Array }[] = []
  #firstKept = 0

  heard(atMs: number, bytes: Uint8Array): void {
    this.#chunks.push({ atMs, bytes })
    while (atMs - (this.#chunks[this.#firstKept]?.atMs ?? atMs) >= keptMs) this.#firstKept += 1
    if (this.#firstKept < mostDropped) return
    this.#chunks = this.#chunks.slice(this.#firstKept)
    this.#firstKept = 0
  }

  /**
   * True if a result arrived after a USSD text that seemed complete, but before a line that may be the real end of the
   * text. In this case the output does not show whether the result is part of the text.
   */
  get holdResultInText(): boolean {
    const kept = this.#chunks.slice(this.#firstKept).map(({ bytes }) => bytes)
    return resultInText.test(Buffer.concat(kept).toString('latin1'))
  }
}

const keptMs = 1_000
const mostDropped = 1_000
const resultInText = /\+CUSD: \d,"[^"]*",\d*\r?\n.*\n\+CMGS: \d+\r?\n.*\n\+[A-Z]+: "[^"\n]*"(,\s*\d*)?\r?\n/s
