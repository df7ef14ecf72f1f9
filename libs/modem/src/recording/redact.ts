import { readFinalResult } from '../dialogue/final-result.ts'
import { genericForms } from '../wire/unsolicited.ts'
import type { RecordedLine, RecordedSection } from './dialogue-recorder.ts'
import { Pseudonyms } from './pseudonyms.ts'
import { redactPdu } from './redact-pdu.ts'

/**
 * Removes everything private from a recorded dialogue: numbers, texts, names, PINs, IMEI, IMSI, ICCID and cells. The
 * dialogue stays usable: the same value gets the same replacement everywhere, also inside PDUs, and a driver can still
 * read each line.
 */
export function redact(sections: readonly RecordedSection[]): readonly RecordedSection[] {
  const redaction = new Redaction()
  return sections.map(({ name, lines }) => ({ name, lines: redaction.lines(lines) }))
}

class Redaction {
  readonly #pseudonyms = new Pseudonyms()
  /** The last command of the host, which determines the meaning of an answer without a prefix. */
  #command = ''

  lines(lines: readonly RecordedLine[]): readonly RecordedLine[] {
    const done: RecordedLine[] = []
    let before: RecordedLine | undefined
    for (const line of lines) {
      const { from, text } = line
      if (from === 'host' && !text.endsWith('\x1a')) this.#command = text.toUpperCase()
      const direction = pduDirection(line, before)
      if (direction === undefined) done.push({ from, text: this.#line(line, before) })
      else {
        const { hex, tpduLength } = redactPdu(text.replace('\x1a', ''), direction, this.#pseudonyms)
        correctLength(done, from, tpduLength)
        done.push({ from, text: from === 'host' ? `${hex}\x1a` : hex })
      }
      before = line
    }
    return done
  }

  #line({ from, text }: RecordedLine, before: RecordedLine | undefined): string {
    // The modem may echo the command, with an unsolicited code before it.
    if (secretCommand.test(text)) return withoutSecrets(text)
    if (from === 'host') {
      if (text.endsWith('\x1a')) return 'x\x1a'
      if (publicNumbers.test(text)) return text
    } else if (before?.from === 'modem' && messageHeader.test(before.text) && !finalResult.test(text)) {
      // The text of a message in text mode.
      return 'x'.repeat(text.length)
    }
    const prefix = /^(?:AT)?([+^*#$%&_!][A-Z0-9]+)/i.exec(text)?.[1]?.toUpperCase() ?? ''
    if (cellPrefixes.has(prefix)) return withoutCells(this.#numbers(text))
    if (from === 'modem' && prefix === '' && !isPublicText(text, this.#command)) {
      return this.#numbers(text)
        .replaceAll(/[A-Za-z\x80-\xff]/g, 'x')
        .replaceAll(/(?<!\d)\d{3,4}(?!\d)/g, (code) => '0'.repeat(code.length))
    }
    const identity = prefix === '' || identityPrefixes.test(prefix) ? identityKind(this.#command) : undefined
    if (textPrefixes.has(prefix)) return this.#numbers(this.#withoutTexts(text, prefix), identity)
    return this.#numbers(text, identity)
  }

  /** Replaces names and texts, quoted or not, and numbers of any length. */
  #withoutTexts(text: string, prefix: string): string {
    const start = text.toUpperCase().indexOf(prefix) + prefix.length
    return (
      text.slice(0, start) +
      // A quoted text with line ends continues in the next line.
      text.slice(start).replaceAll(/"([^"]*)("|$)|[A-Za-z\x80-\xff][^,"]*/g, (found, quoted, end) => {
        if (quoted === undefined) return 'x'.repeat(found.length)
        return `"${this.#quoted(quoted)}${end}`
      })
    )
  }

  #quoted(text: string): string {
    const ucs2 = this.#ucs2(text)
    if (ucs2 !== undefined) return ucs2
    if (/^\+?[\d*#]+$/.test(text)) return this.#dialled(text)
    // The replacement is a valid time, because a driver reads it.
    return /^[\d/,:+-]+$/.test(text) ? text.replaceAll(/\d/g, '1') : 'x'.repeat(text.length)
  }

  #dialled(text: string): string {
    return text.startsWith('+') ? `+${this.#pseudonyms.of(text.slice(1))}` : this.#pseudonyms.of(text)
  }

  /**
   * Decodes characters of four hexadecimal digits each, as after AT+CSCS="UCS2". Returns undefined for anything else.
   */
  #ucs2(hex: string): string | undefined {
    if (hex.length < 8 || hex.length % 4 !== 0 || !/^(?:00[0-9a-f]{2}|[0-9a-f]{4})+$/i.test(hex)) return undefined
    const codes = hex.match(/.{4}/g)?.map((code) => Number.parseInt(code, 16)) ?? []
    const decoded = String.fromCharCode(...codes)
    const isNumber = /^\+?[0-9*#]+$/.test(decoded)
    const replaced = isNumber ? this.#dialled(decoded) : 'x'.repeat(decoded.length)
    return [...replaced].map((char) => char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')).join('')
  }

  /** Replaces runs of five digits or more, and hexadecimal data, wherever they are. */
  #numbers(text: string, kind?: 'imei' | 'imsi' | 'iccid'): string {
    return text.replaceAll(/[0-9a-f]{5,}/gi, (run) => {
      if (isUcs2Text(run)) return this.#ucs2(run) ?? run
      // Accepts an F at the end, because some modems fill the last half octet of an ICCID with F.
      if (/^\d{5,}f?$/i.test(run))
        return this.#pseudonyms.of(run.replace(/f$/i, ''), kind) + (/f$/i.exec(run)?.[0] ?? '')
      if (run.length >= 8 && /\d/.test(run)) return '0'.repeat(run.length)
      return run.replaceAll(/\d{5,}/g, (digits) => this.#pseudonyms.of(digits, kind))
    })
  }
}

/** Returns the direction of the message if this line is a PDU. */
function pduDirection(
  { from, text }: RecordedLine,
  before: RecordedLine | undefined,
): 'incoming' | 'outgoing' | undefined {
  if (from === 'host')
    return text.endsWith('\x1a') && /^(?:[0-9a-f]{2})+$/i.test(text.slice(0, -1)) ? 'outgoing' : undefined
  if (before?.from !== 'modem' || !messageHeader.test(before.text) || !/^(?:[0-9a-f]{2}){2,}$/i.test(text))
    return undefined
  // 27.005 §3.1: state 2 is a stored message that was not sent, and state 3 is a stored message that was sent.
  return /^\+CMG(?:R: *|L: *\d+,)[23],/.test(before.text) ? 'outgoing' : 'incoming'
}

/** Writes the new length of a PDU into the line before it: `AT+CMGS=19` or `+CMGR: 0,,31`. */
function correctLength(done: RecordedLine[], from: RecordedLine['from'], tpduLength: number): void {
  const at = done.findLastIndex((line) => line.from === from)
  const line = done[at]
  if (line !== undefined) done[at] = { from, text: line.text.replace(/\d+$/, String(tpduLength)) }
}

/**
 * Lines that are not text: names of the modem, numbers (which are replaced), and lines that every modem sends. Any
 * other line may be part of a message, even if the modem was in PDU mode at the start of the recording.
 */
function isPublicText(text: string, command: string): boolean {
  return (
    /^AT(?:I\d*|\+C?GM[IMR])$/.test(command) ||
    /^(?:>|\d{1,2}|\d{5,}F?)$/i.test(text) ||
    readFinalResult(text) !== undefined ||
    unsolicitedLines.has(text.toUpperCase())
  )
}

const unsolicitedLines: ReadonlySet<string> = new Set(genericForms.map(({ code }) => code))

function identityKind(command: string): 'imei' | 'imsi' | 'iccid' | undefined {
  if (/^AT\+C?GSN\b/.test(command) || command === 'ATI') return 'imei'
  if (/^AT\+CIMI\b/.test(command)) return 'imsi'
  return /ICCID|\+CCID/.test(command) ? 'iccid' : undefined
}

const identityPrefixes = /^\+C?GSN$|^\+CIMI$|ICCID$|^\+CCID$/

/** Replaces four to eight hexadecimal digits in answers about cells, because they show where the modem is. */
function withoutCells(text: string): string {
  return text.replaceAll(
    /(?<![0-9A-Za-z+^])(0x)?([0-9a-fA-F]{3,})(?![0-9A-Za-z])/g,
    (_, mark = '', run) => `${mark}${'0'.repeat(run.length - 1)}1`,
  )
}

const cellPrefixes: ReadonlySet<string> = new Set([
  ...[
    '+CREG',
    '+CGREG',
    '+CEREG',
    '+C5GREG',
    '+CPSI',
    '+QENG',
    '+QNWINFO',
    '+QCELLINFO',
    '+CENG',
    '+CCED',
    '#MONI',
    '#SERVINFO',
  ],
  ...['^MONSC', '^MONNC', '^SMONI', '^SYSINFOEX', '^LOCINFO', '^CELLINFO', '+CGED', '+CNTI', '+ZCELLINFO'],
])

/** Each of these codes is followed by a text that a person wrote, or by a person's number. */
const textPrefixes: ReadonlySet<string> = new Set([
  ...[
    '+CUSD',
    '+CUSDP',
    '*PSUSSD',
    '+CPBR',
    '+CPBF',
    '+CPBW',
    '+CNUM',
    '+CLIP',
    '+CNAP',
    '+COLP',
    '+CCWA',
    '+CMGL',
    '+CMGR',
    '+CMT',
  ],
  ...[
    '+CDS',
    '+CBM',
    '+CSCA',
    '+CLCC',
    '+CRSM',
    '+CSIM',
    '^CLIP',
    '^ORIG',
    '^STIN',
    '+STIN',
    '+CUSATP',
    '+CUSATS',
    '+QSTK',
    '#STN',
  ],
])

const messageHeader = /^\+(?:CMGR|CMGL|CMT|CDS|CBM):/
const finalResult = /^(?:OK|ERROR|\+CM[ES] ERROR:.*)$/
/** Not redacted: the number of a file on the SIM, and a baud rate. */
const publicNumbers = /^AT\+(?:CRSM=\d+(?:,\d+)*|IPR=\d+)$/i
const secretCommand = /AT(?:\+CPIN2?|\+CPWD|\+CLCK|\^CPIN|\*EPIN|\+SPIC|\^CARDLOCK|#PIN)\b.*=/i

/** Replaces every digit except the mode of AT+CLCK and AT+CPWD, which is not quoted. */
function withoutSecrets(text: string): string {
  const at = text.indexOf('=') + 1
  const digits = /AT\+C(?:LCK|PWD)/i.test(text) ? /(?<="[^",]*)\d(?=[^",]*")/g : /\d/g
  return text.slice(0, at) + text.slice(at).replaceAll(digits, '0')
}

/**
 * Returns true if the digits are UCS-2 characters of the Latin alphabet. Other hexadecimal data may look like other
 * UCS-2 characters by chance.
 */
function isUcs2Text(run: string): boolean {
  return run.length >= 12 && /^(?:00[2-7][0-9a-f])+$/i.test(run)
}
