import { integerOf, parseParameters } from './at-parameters.ts'
import { type ResponseLine, readResponseLine } from './response-line.ts'
import type { Unsolicited, UnsolicitedForm, UnsolicitedTable } from './unsolicited.ts'

/** Lines put together: what belongs to an unsolicited code of several lines is split off. */
export interface AssembledListener {
  /** `mayBeText`: it may be a line of what somebody wrote to somebody, whatever it looks like. */
  line(line: ResponseLine, form: UnsolicitedForm | undefined, mayBeText: boolean): void
  unsolicited(event: Unsolicited): void
}

/**
 * Puts unsolicited codes of several lines together, wherever they stand: inside an answer, between a row of `+CMGL` and
 * its PDU, between the prompt and the result.
 *
 * Three states: nothing open · a header (`+CMT: ,24`) that waits for its PDU · quoted text (`+CUSD: 0,"…`) that waits
 * for its closing quote. What never comes is given up after a few lines, so neither state can swallow a dialogue.
 *
 * Somebody's text may hold a line that looks like the result of a submission. While one is due, quoted text is held until
 * its closing quote, whatever it looks like; and of what follows a message in text mode, which has no end that can be
 * told, each line is marked as possibly its text for as long as that could be.
 */
export class LineAssembler {
  readonly #table: UnsolicitedTable
  readonly #awaited: Awaited
  readonly #nowMs: () => number
  #header: Header | undefined
  #quoted: Quoted | undefined
  /** Characters that may follow of a message in text mode, until when. */
  #textLeft = 0
  #textUntilMs = 0
  #mayBeText = false

  constructor(table: UnsolicitedTable, awaited: Awaited = nothingAwaited, nowMs: () => number = () => 0) {
    this.#table = table
    this.#awaited = awaited
    this.#nowMs = nowMs
  }

  push(text: string, listener: AssembledListener): void {
    this.#mayBeText = this.#textLeft > 0 && this.#nowMs() < this.#textUntilMs
    this.#textLeft -= text.length
    this.#take(text, listener)
  }

  #take(text: string, listener: AssembledListener): void {
    if (this.#quoted) this.#continueQuoted(this.#quoted, text, listener)
    else if (this.#header) this.#continueHeader(this.#header, text, listener)
    else this.#begin(text, listener)
  }

  /** Whether a `>` at the begin of a line was part of a text and no prompt. */
  takesPrompt(): boolean {
    if (!this.#quoted) return false
    this.#quoted.lines.push('>')
    return true
  }

  /** Gives out what is open, as far as it came. */
  flush(listener: AssembledListener): void {
    while (this.#header || this.#quoted) {
      if (this.#header) this.#giveUpHeader(this.#header, listener)
      if (this.#quoted) this.#endQuoted(this.#quoted, listener)
    }
  }

  #begin(text: string, listener: AssembledListener): void {
    const line = readResponseLine(text)
    const form = this.#table.find(line)
    if (form?.continues === 'pdu') {
      const parameters = parseParameters(line.body)
      const payload = payloadOf(form.code, parameters.length)
      if (payload === 'none') {
        listener.unsolicited({ ...line, kind: 'unsolicited', form })
      } else {
        this.#header = { line, form, payload, pduLength: integerOf(parameters.at(-1)), linesBetween: 0 }
      }
    } else if (form?.continues === 'quoted' && isOpen(line.body)) {
      this.#quoted = { line, form, lines: [line.body], length: line.body.length }
    } else {
      listener.line(line, form, this.#mayBeText)
    }
  }

  #continueHeader(header: Header, text: string, listener: AssembledListener): void {
    if (this.#awaited.isEchoOfPdu(text)) {
      this.#begin(text, listener)
      return
    }
    // Some firmware counts wrongly: right behind the header any digits will do, unless they may be an echo.
    const adjacent = header.linesBetween === 0 && !this.#awaited.pduMayEcho
    if (header.payload === 'text' || (isHexadecimal(text) && (adjacent || fits(text, header)))) {
      this.#header = undefined
      if (header.payload === 'text') {
        this.#textLeft = mostTextCharacters - text.length
        this.#textUntilMs = this.#nowMs() + mostTextMs
      }
      listener.unsolicited({ ...header.line, payload: text, kind: 'unsolicited', form: header.form })
      return
    }
    header.linesBetween += 1
    const follows = this.#table.find(readResponseLine(text))?.continues !== undefined
    if (follows || header.linesBetween > mostLinesBetween) this.#giveUpHeader(header, listener)
    this.#begin(text, listener)
  }

  #giveUpHeader(header: Header, listener: AssembledListener): void {
    this.#header = undefined
    listener.unsolicited({ ...header.line, kind: 'unsolicited', form: header.form })
  }

  #continueQuoted(quoted: Quoted, text: string, listener: AssembledListener): void {
    // No text of a person begins like a code: the closing quote was lost. OK and ERROR alone are words of people; if they
    // were not, the command times out and the dialogue gets in step again, while a text taken for a result would lie.
    if (beginsLikeCode(text) && !this.#awaited.resultDue) {
      this.#endQuoted(quoted, listener)
      this.#begin(text, listener)
      return
    }
    quoted.lines.push(text)
    quoted.length += text.length + 1
    const finished = !isOpen(quoted.lines.join('\n'))
    if (finished) {
      this.#endQuoted(quoted, listener, quoted.lines.length)
    } else if (quoted.lines.length >= mostQuotedLines || quoted.length >= mostQuotedCharacters) {
      this.#endQuoted(quoted, listener)
    }
  }

  /** Without its closing quote it ends where a line begins like a code, and nobody knows what the lines from there are. */
  #endQuoted(quoted: Quoted, listener: AssembledListener, end = lengthOfText(quoted.lines)): void {
    this.#quoted = undefined
    const body = quoted.lines.slice(0, end).join('\n')
    listener.line({ ...quoted.line, text: `${quoted.line.prefix}: ${body}`, body }, quoted.form, false)
    for (const text of quoted.lines.slice(end)) {
      this.#mayBeText = true
      this.#take(text, listener)
    }
  }
}

/** Digits of a PDU, an odd number of them included: one that was cut is told by whoever decodes it. */
export function isHexadecimal(text: string): boolean {
  return text.length >= 2 && /^[0-9A-Fa-f]+$/.test(text)
}

/** What may be read beside answers and news. */
interface Awaited {
  /** A PDU was written last. */
  readonly pduMayEcho: boolean
  isEchoOfPdu(text: string): boolean
  /** The result of a submission may come, in time or late. */
  readonly resultDue: boolean
}

const nothingAwaited: Awaited = { pduMayEcho: false, isEchoOfPdu: () => false, resultDue: false }

interface Header {
  readonly line: ResponseLine
  readonly form: UnsolicitedForm
  readonly payload: 'pdu' | 'text'
  readonly pduLength: number | undefined
  linesBetween: number
}

interface Quoted {
  readonly line: ResponseLine
  readonly form: UnsolicitedForm
  readonly lines: string[]
  length: number
}

const mostLinesBetween = 3
// A USSD text has 182 characters at most (23.038 §5, 24.090); in digits of UCS-2 no line ends inside it.
const mostQuotedLines = 24
const mostQuotedCharacters = 1024
// 23.040 §9.2.3.24: 160 characters. They come in one go, in 200 ms at 9600 baud.
const mostTextCharacters = 160
const mostTextMs = 2_000

/** 27.005 §3.4.1: `[<alpha>],<length>` in PDU mode; in text mode more, and a report is one line then. */
function payloadOf(code: string, parameters: number): 'pdu' | 'text' | 'none' {
  if (parameters <= 2) return 'pdu'
  return code === '+CDS' ? 'none' : 'text'
}

/**
 * The length counts the TPDU; the service centre address stands in front with an octet of its own length. A broadcast
 * has none.
 */
function fits(pdu: string, { form, pduLength }: Header): boolean {
  const inFront = form.code === '+CBM' ? 0 : 1 + Number.parseInt(pdu.slice(0, 2), 16)
  return pduLength !== undefined && pdu.length === 2 * (inFront + pduLength)
}

function beginsLikeCode(text: string): boolean {
  return /^[+^][A-Z0-9]{2,}( ERROR)?:/.test(text)
}

function lengthOfText(lines: readonly string[]): number {
  const code = lines.findIndex((line, i) => i > 0 && beginsLikeCode(line))
  return code < 0 ? lines.length : code
}

/** Open until a second quote ends it, with or without a data coding scheme behind. */
function isOpen(body: string): boolean {
  const first = body.indexOf('"')
  return first >= 0 && !(body.lastIndexOf('"') > first && /"\s*(,\s*\d*\s*)?$/.test(body))
}
