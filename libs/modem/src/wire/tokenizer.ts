/** The tokens of a modem's output, in order. */
export interface TokenListener {
  /** A line that is not empty, without its line end and surrounding blanks; one character per byte. */
  line(text: string): void
  /** `>` at the start of a line: the modem waits for a PDU. */
  prompt(): void
  /** A line that is longer than the limit; its bytes were dropped. */
  noise(length: number): void
}

/**
 * Splits bytes into lines and prompts. The result does not depend on the division into chunks, because no decision
 * depends on later bytes.
 *
 * CR and LF both end a line and empty lines are ignored, so `\r\n`, `\r\r\n`, `\n`, a lone `\r` and extra blank lines
 * are all the same. A line end may follow a prompt or not (`>`, `> `, `>\r\n`). So a prompt is reported as soon as its
 * `>` arrives, if this `>` is at the start of a line or directly after the echo of the submission command.
 */
export class Tokenizer {
  readonly #maximumLineLength: number
  /** Grows with the longest line. */
  #line: Uint8Array
  #length = 0
  /** The number of bytes received so far of a line that exceeds the limit; 0 while the line fits. */
  #overlong = 0

  constructor(maximumLineLength = defaultMaximumLineLength) {
    this.#maximumLineLength = maximumLineLength
    this.#line = new Uint8Array(Math.min(initialLineLength, maximumLineLength))
  }

  /** True if a line has begun but not ended, so that more bytes are expected soon. */
  get midLine(): boolean {
    return this.#length > 0 || this.#overlong > 0
  }

  push(bytes: Uint8Array, listener: TokenListener): void {
    for (let i = 0; i < bytes.length; i += 1) {
      const byte = bytes[i] as number
      if (byte === carriageReturn || byte === lineFeed) {
        this.#endLine(listener)
      } else if (this.#overlong > 0) {
        this.#overlong += 1
      } else if (this.#length === 0 && isBlank(byte)) {
        // Matches bytes to ignore at the start of a line: NUL, an echoed ESC or Ctrl-Z, and the 0xFF of a newly opened
        // serial line.
      } else if (byte === greaterThan && (this.#length === 0 || this.#isEchoOfSubmit())) {
        this.#endLine(listener)
        listener.prompt()
      } else if (this.#length === this.#maximumLineLength) {
        this.#overlong = this.#length + 1
      } else {
        if (this.#length === this.#line.length) this.#grow()
        this.#line[this.#length] = byte
        this.#length += 1
      }
    }
  }

  #grow(): void {
    const line = new Uint8Array(Math.min(2 * this.#line.length, this.#maximumLineLength))
    line.set(this.#line)
    this.#line = line
  }

  #endLine(listener: TokenListener): void {
    const overlong = this.#overlong
    let length = this.#length
    this.#overlong = 0
    this.#length = 0
    if (overlong > 0) {
      listener.noise(overlong)
      return
    }
    while (length > 0 && isBlank(this.#line[length - 1] as number)) length -= 1
    if (length === 0) return
    const text = latin1(this.#line, length)
    const glued = endOfGluedPdu(text)
    if (glued === undefined) {
      listener.line(text)
    } else {
      listener.line(text.slice(0, glued))
      listener.line(text.slice(glued))
    }
  }

  /**
   * `AT+CMGS=24` and similar: with echo on, some firmware writes the prompt right after this echo, without a line end.
   */
  #isEchoOfSubmit(): boolean {
    if (this.#length < 9 || this.#length > 24) return false
    return /^AT\+CMG[SWC]=\d{1,3}(,\d+)* ?$/i.test(latin1(this.#line, this.#length))
  }
}

// Longer than all expected lines, including a row of `+CMGL` and the answer to `AT+COPS=?` in a city.
const defaultMaximumLineLength = 4096
// Longer than most lines without a PDU.
const initialLineLength = 256

const lineFeed = 0x0a
const carriageReturn = 0x0d
const greaterThan = 0x3e

function isBlank(byte: number): boolean {
  return byte <= 0x20 || byte === 0x7f || byte === 0xff
}

function latin1(bytes: Uint8Array, length: number): string {
  return String.fromCharCode.apply(null, bytes.subarray(0, length) as unknown as number[])
}

// The shortest TPDU with its service centre address has 14 digits.
const shortestPdu = 14

/** Returns the end of a PDU that is followed by the next row (`+CMGL:`) or `OK` without a line break. */
function endOfGluedPdu(text: string): number | undefined {
  let end = 0
  while (isHexadecimal(text.charCodeAt(end))) end += 1
  if (end < shortestPdu || end === text.length) return undefined
  return text.startsWith('+C', end) || text.startsWith('^', end) || text.slice(end) === 'OK' ? end : undefined
}

function isHexadecimal(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}
