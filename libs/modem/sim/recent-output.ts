/** The latest output of the modem, independent of the driver. */
export class RecentOutput {
  #words: readonly { readonly atMs: number; readonly text: string }[] = []

  heard(atMs: number, bytes: Uint8Array): void {
    const text = new TextDecoder('latin1').decode(bytes)
    this.#words = [...this.#words.filter((word) => atMs - word.atMs < keptMs), { atMs, text }]
  }

  /**
   * True if a result arrived after a text of several lines that seemed complete, but before a line that may be the real
   * end of the text. In this case the output does not show whether the result is part of the text.
   */
  get holdResultInText(): boolean {
    return resultInText.test(this.#words.map(({ text }) => text).join(''))
  }
}

const keptMs = 1_000
const resultInText = /\+CUSD: \d,"[^"]*\n[^"]*",\d*\r?\n.*\n\+CMGS: \d+\r?\n.*\n\+[A-Z]+: "[^"\n]*",\s*\d*\r?\n/s
