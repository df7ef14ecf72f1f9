import { isTextModeStatus } from '../commands/messages/stored-messages.ts'
import { integerOf, outermostQuoted, parseParameters } from './at-parameters.ts'
import { beginsLikeCode, QuotedText } from './quoted-text.ts'
import { type ResponseLine, readResponseLine } from './response-line.ts'
import type { Unsolicited, UnsolicitedForm, UnsolicitedTable } from './unsolicited.ts'

/** Receives assembled lines, without the lines of multi-line unsolicited codes. */
export interface AssembledListener {
  /** `mayBeText`: the line may belong to a text, even if it looks like a code. */
  line(line: ResponseLine, form: UnsolicitedForm | undefined, mayBeText: boolean): void
  unsolicited(event: Unsolicited): void
  /** Receives a delayed prompt. */
  prompt(): void
}

/**
 * Assembles unsolicited codes of several lines, wherever they arrive: inside an answer, between a row of `+CMGL` and
 * its PDU, between the prompt and the result.
 *
 * States: nothing is open · a header (`+CMT: ,24`) waits for its PDU · quoted text (`+CUSD: 0,"…`) waits for its
 * closing quote · quoted text may be complete. The wait for a missing line ends after a few other lines, so a missing
 * line does not block the dialogue.
 *
 * A text may contain a line that looks like the result of a submission or like a prompt. While a result is due, quoted
 * text is held until its closing quote has arrived and the modem has paused. The quote may be a character of the text
 * and not its end. Because the lines of a text arrive without a pause, only a pause shows that the text has ended. A
 * text-mode message has no recognisable end. So the lines after it are marked as possible text, for as long as a text
 * may last. `textFlowsMs` is the time until a submission may start.
 */
export class LineAssembler {
  readonly #table: UnsolicitedTable
  readonly #awaited: Awaited
  readonly #nowMs: () => number
  #header: Header | undefined
  #quoted: QuotedText | undefined
  #heldUntilMs: number | undefined
  /**
   * A text without a recognisable end: the number of characters that may follow, the time until which they may follow,
   * and whether the text is a message.
   */
  #unended = { left: 0, untilMs: 0, isMessage: false }
  #quotedUntilMs = 0
  #mayBeText = false

  constructor(table: UnsolicitedTable, awaited: Awaited = nothingAwaited, nowMs: () => number = () => 0) {
    this.#table = table
    this.#awaited = awaited
    this.#nowMs = nowMs
  }

  push(text: string, listener: AssembledListener): void {
    this.#mayBeText = this.#unendedMs > 0
    this.#unended.left -= text.length
    this.#take(text, listener)
  }

  #take(text: string, listener: AssembledListener): void {
    if (this.#quoted) this.#continueQuoted(this.#quoted, text, listener)
    else if (this.#header) this.#continueHeader(this.#header, text, listener)
    else this.#begin(text, listener)
  }

  /** Returns true if a `>` at the start of a line was part of a text, or is held together with the lines before it. */
  takesPrompt(): boolean {
    this.#quoted?.push(prompt)
    if (this.#quoted?.mayBeOver) this.#hold()
    // In text mode, a prompt does not mean that the modem waits for a PDU.
    return this.#quoted !== undefined || this.#isInMessage
  }

  /**
   * The time at which held text must be released, unless a line is arriving. Undefined if no held text can be complete.
   */
  get heldUntilMs(): number | undefined {
    return this.#heldUntilMs
  }

  /**
   * Some texts are passed to the listener line by line, before their end is known. This is the time for which more
   * lines of such a text may still arrive.
   */
  get textFlowsMs(): number {
    return Math.max(0, this.#unendedMs, this.#quotedUntilMs - this.#nowMs())
  }

  /**
   * Releases held text that is complete. Lines after this text are then no longer treated as part of it. Must be called
   * when all bytes have been read.
   */
  release(listener: AssembledListener): void {
    if (this.#quoted?.mayBeOver) this.#endQuoted(this.#quoted, listener, 'not text')
  }

  /** Passes the received part of incomplete codes to the listener. */
  flush(listener: AssembledListener): void {
    while (this.#header || this.#quoted) {
      if (this.#header) this.#giveUpHeader(this.#header, listener)
      if (this.#quoted) this.#endQuoted(this.#quoted, listener, 'maybe text')
    }
  }

  #begin(text: string, listener: AssembledListener): void {
    const line = readResponseLine(text)
    const form = this.#table.find(line)
    // Text mode has no PDU row, so a line that looks like a PDU row is part of a text.
    if (form?.continues === 'pdu' && !this.#isInMessage) {
      const parameters = parseParameters(line.body)
      const payload = payloadOf(form.code, parameters.length)
      if (payload === 'none') {
        listener.unsolicited({ ...line, kind: 'unsolicited', form })
      } else {
        this.#header = { line, form, payload, pduLength: integerOf(parameters.at(-1)), linesBetween: 0 }
      }
      return
    }
    if (form?.continues === 'quoted' && this.#beginQuoted(line, form)) return
    if (isTextModeRow(line)) this.#beginUnended(mostTextCharacters, mostTextMs, true)
    listener.line(line, form, this.#mayBeText)
  }

  #continueHeader(header: Header, text: string, listener: AssembledListener): void {
    if (this.#awaited.isEchoOfPdu(text)) {
      this.#begin(text, listener)
      return
    }
    // Some firmware reports a wrong length. Therefore, digits directly after the header are accepted with any length,
    // except if they may be an echo.
    const adjacent = header.linesBetween === 0 && !this.#awaited.pduMayEcho
    if (header.payload === 'text' || (isHexadecimal(text) && (adjacent || fits(text, header)))) {
      this.#header = undefined
      if (header.payload === 'text') this.#beginUnended(mostTextCharacters - text.length, mostTextMs, true)
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

  /** Returns false if no more lines of the code are expected. The line is then handled like an ordinary line. */
  #beginQuoted(line: ResponseLine, form: UnsolicitedForm): boolean {
    const quoted = new QuotedText(line, form)
    const text = textOfUssd(line.body)
    if (text === undefined || isHexadecimal(text)) return false
    if (!line.body.includes('"')) {
      this.#beginUnended(mostUssdCharacters, burstMs, false)
      return false
    }
    if (quoted.mayBeOver && !this.#awaited.resultDue) {
      this.#quotedUntilMs = this.#nowMs() + burstMs
      return false
    }
    this.#quoted = quoted
    if (quoted.mayBeOver) this.#hold()
    return true
  }

  #continueQuoted(quoted: QuotedText, text: string, listener: AssembledListener): void {
    const { resultDue } = this.#awaited
    // A line that begins like a code is not text, so the closing quote was lost. OK or ERROR on its own line counts as
    // text. If it was a result, this only causes a timeout and a resynchronisation. But if a text counted as a result,
    // the outcome would be wrong.
    if (!resultDue && (quoted.mayBeOver || beginsLikeCode(text))) {
      this.#endQuoted(quoted, listener, 'not text')
      this.#take(text, listener)
      return
    }
    quoted.push(text)
    if (quoted.isLong || (quoted.mayBeOver && !resultDue)) this.#endQuoted(quoted, listener, 'not text')
    else if (quoted.mayBeOver) this.#hold()
  }

  #hold(): void {
    this.#heldUntilMs = this.#nowMs() + longestPauseMs
  }

  #endQuoted(quoted: QuotedText, listener: AssembledListener, afterIs: 'not text' | 'maybe text'): void {
    this.#quoted = undefined
    this.#heldUntilMs = undefined
    this.#quotedUntilMs = this.#nowMs() + burstMs
    const { line, inDoubt, after } = quoted.end()
    listener.line(line, quoted.form, false)
    for (const text of inDoubt) this.#replay(text, true, listener)
    for (const text of after) this.#replay(text, afterIs === 'maybe text', listener)
  }

  #replay(text: string, mayBeText: boolean, listener: AssembledListener): void {
    this.#mayBeText = mayBeText
    if (text !== prompt || mayBeText) this.#take(text, listener)
    else if (!this.takesPrompt()) listener.prompt()
  }

  #beginUnended(left: number, forMs: number, isMessage: boolean): void {
    this.#unended = { left, untilMs: this.#nowMs() + forMs, isMessage }
  }

  get #isInMessage(): boolean {
    return this.#unended.isMessage && this.#unendedMs > 0
  }

  get #unendedMs(): number {
    return this.#unended.left > 0 ? this.#unended.untilMs - this.#nowMs() : 0
  }
}

/**
 * Returns true if the text consists of hexadecimal digits only. Their number may be odd, because the decoder reports a
 * truncated PDU.
 */
export function isHexadecimal(text: string): boolean {
  return text.length >= 2 && /^[0-9A-Fa-f]+$/.test(text)
}

/** The other lines that may arrive, besides answers and unsolicited codes. */
interface Awaited {
  /** True if the driver's last output was a PDU, which the modem may echo. */
  readonly pduMayEcho: boolean
  isEchoOfPdu(text: string): boolean
  /** True if the result of a submission may arrive, in time or late. */
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

const mostLinesBetween = 3
const prompt = '>'
// The lines of a text arrive without a pause, within 200 ms at 9600 baud.
const burstMs = 300
const longestPauseMs = 100
// The longest USSD text has 182 characters (24.090).
const mostUssdCharacters = 182
// The longest message in text mode has 160 characters (23.040 §9.2.3.24).
const mostTextCharacters = 160
const mostTextMs = 2_000

/** 27.005 §3.4.1: `[<alpha>],<length>` in PDU mode; text mode has more fields, and a report is one line. */
function payloadOf(code: string, parameters: number): 'pdu' | 'text' | 'none' {
  if (parameters <= 2) return 'pdu'
  return code === '+CDS' ? 'none' : 'text'
}

/**
 * The length counts only the TPDU. The service centre address comes before the TPDU and has its own length, which some
 * firmware wrongly adds. A broadcast has no service centre address.
 */
function fits(pdu: string, { form, pduLength }: Header): boolean {
  const inFront = form.code === '+CBM' ? 0 : 1 + Number.parseInt(pdu.slice(0, 2), 16)
  return pduLength !== undefined && [inFront + pduLength, pduLength].includes(pdu.length / 2)
}

/** Returns undefined if there is no text, as in `+CUSD: 2`. */
function textOfUssd(body: string): string | undefined {
  const comma = body.indexOf(',')
  const quoted = outermostQuoted(body)
  const text =
    quoted?.text ??
    (comma < 0
      ? ''
      : body
          .slice(comma + 1)
          .trimEnd()
          .replace(/,\s*\d*$/, ''))
  return text.trim() === '' && quoted === undefined ? undefined : text.replaceAll(/\s/g, '')
}

/** `+CMGR: "REC UNREAD",…`: the modem is in text mode, and the next line is the text of a message. */
function isTextModeRow({ prefix, body }: ResponseLine): boolean {
  return (prefix === '+CMGR' || prefix === '+CMGL') && isTextModeStatus(body)
}
