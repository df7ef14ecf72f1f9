import type { ResponseLine } from './response-line.ts'
import type { UnsolicitedForm } from './unsolicited.ts'

/**
 * The text after `+CUSD: 0,"`, line by line. The text may itself contain quotes, even at the end of a line, so the
 * closing quote is the last quote at the end of a line. A line that looks like a code, such as `+CMTI: "SM",3`, may be
 * an unsolicited code or the end of the text. Lines after the last line that may contain the closing quote are
 * certainly not part of the text.
 */
export class QuotedText {
  readonly #line: ResponseLine
  readonly form: UnsolicitedForm
  readonly #lines: string[]
  #characters: number
  #linesToQuote: number | undefined
  /** The number of lines up to the last line that may be either an unsolicited code or the end of the text. */
  #linesInDoubt = 0

  constructor(line: ResponseLine, form: UnsolicitedForm) {
    this.#line = line
    this.form = form
    this.#lines = [line.body]
    this.#characters = line.body.length
    this.#noteQuote(line.body)
  }

  /**
   * True after a line has ended with a quote. The text is then complete, unless another line with a quote at its end
   * arrives.
   */
  get mayBeOver(): boolean {
    return this.#linesToQuote !== undefined
  }

  get isLong(): boolean {
    return this.#characters >= mostCharacters || (!this.mayBeOver && this.#lines.length >= mostLines)
  }

  push(text: string): void {
    this.#lines.push(text)
    this.#characters += text.length + 1
    this.#noteQuote(text)
  }

  /**
   * Ends a text without a closing quote. The text ends at a line that begins like a code. This line and all later lines
   * are ambiguous.
   */
  end(): QuotedTextEnd {
    const end = this.#linesToQuote ?? linesToCode(this.#lines)
    const body = this.#lines.slice(0, end).join('\n')
    const firstCertain = this.mayBeOver ? Math.max(end, this.#linesInDoubt) : this.#lines.length
    return {
      line: { ...this.#line, text: `${this.#line.prefix}: ${body}`, body },
      inDoubt: this.#lines.slice(end, firstCertain),
      after: this.#lines.slice(firstCertain),
    }
  }

  #noteQuote(text: string): void {
    const body = this.#lines.join('\n')
    const last = body.lastIndexOf('"')
    // Matches the second quote, at which the text may end, with or without a data coding scheme after it.
    const ends = last > body.indexOf('"') && /^(,\s*\d*)?$/.test(body.slice(last + 1).trim())
    if (!ends) return
    if (this.mayBeOver && beginsLikeCode(text)) this.#linesInDoubt = this.#lines.length
    else this.#linesToQuote = this.#lines.length
  }
}

export interface QuotedTextEnd {
  readonly line: ResponseLine
  /** Lines that may be the end of the text or may follow it. */
  readonly inDoubt: readonly string[]
  readonly after: readonly string[]
}

export function beginsLikeCode(text: string): boolean {
  return /^[+^][A-Z0-9]{2,}( ERROR)?:/.test(text)
}

function linesToCode(lines: readonly string[]): number {
  const code = lines.findIndex((line, i) => i > 0 && beginsLikeCode(line))
  return code < 0 ? lines.length : code
}

// A USSD text has at most 182 characters (23.038 §5, 24.090). A text in UCS-2 hexadecimal contains no line ends.
const mostLines = 24
const mostCharacters = 1024
