import { cmeErrors } from './cme-errors.ts'
import { cmsErrors } from './cms-errors.ts'
import type { ErrorClass, ErrorMeaning } from './error-meaning.ts'

/** The reason why a modem refused a command: the error line, its meaning and advice. */
export interface CommandError {
  readonly source: 'cms' | 'cme' | 'plain' | 'hilink'
  /**
   * The error number from 27.005 §3.2.5 or 27.007 §9.2, even if the modem sent the error as text. For a HiLink stick,
   * its own number.
   */
  readonly code: number | undefined
  /** The error line as the modem sent it. */
  readonly text: string
  readonly class: ErrorClass
  /** Description for people. */
  readonly words: string
  /** Advice for people. */
  readonly advice: string
  /** The delay before a retry; undefined if a retry does not help, or if its effect is unknown. */
  readonly retryAfterMs: number | undefined
  /** `sim`: raise an alarm, because this SIM cannot send. `rate`: raise an alarm if the error occurs often. */
  readonly alarm: 'none' | 'sim' | 'rate'
}

/** Reads `+CMS ERROR: 38`, `+CME ERROR: SIM busy` and their spellings. Returns undefined for any other line. */
export function readCommandError(text: string): CommandError | undefined {
  const parts = /^\+?CM([ES]) ERROR\b[:\s]*(.*)$/i.exec(text)
  if (!parts) return undefined
  const source = parts[1]?.toUpperCase() === 'S' ? 'cms' : 'cme'
  const reason = (parts[2] ?? '').replaceAll('"', '').trim()
  const code = /^\d{1,5}$/.test(reason) ? Number.parseInt(reason, 10) : codeOfText(source, reason)
  const meaning = code === undefined ? undefined : (source === 'cms' ? cmsErrors : cmeErrors).get(code)
  return describe(source, code, text, meaning ?? undocumented)
}

/** An error without a number: `ERROR`, `COMMAND NOT SUPPORT`, `NO CARRIER`. */
export function plainError(text: string, errorClass: 'unsupported' | 'unknown'): CommandError {
  return describe('plain', undefined, text, errorClass === 'unsupported' ? notSupported : bare)
}

/** Returns true if the error is a definite refusal. Undocumented numbers and a bare ERROR are not definite. */
export function isRefusal(error: CommandError): boolean {
  switch (error.class) {
    case 'permanent':
    case 'temporary':
    case 'sim':
    case 'registration':
    case 'storage':
      return true
    case 'unsupported':
      // A bare `COMMAND NOT SUPPORT` after a PDU shows that the modem read some bytes as a command. It does not show
      // whether these bytes were the PDU.
      return error.code !== undefined
    case 'duplicate':
    case 'harmless':
    case 'unknown':
      return false
  }
}

function describe(
  source: CommandError['source'],
  code: number | undefined,
  text: string,
  meaning: ErrorMeaning,
): CommandError {
  return {
    source,
    code,
    text,
    class: meaning.class,
    words: meaning.words,
    advice: meaning.advice,
    retryAfterMs: meaning.retryAfterMs,
    alarm: meaning.alarm ?? 'none',
  }
}

const undocumented: ErrorMeaning = {
  standard: '',
  class: 'unknown',
  words: 'The modem gave an undocumented error code.',
  advice:
    "Look up the code in the manual of the modem, and report the code so that it can be added to the modem's profile.",
}

const bare: ErrorMeaning = {
  standard: '',
  class: 'unknown',
  words: 'The modem refused without a reason.',
  advice: 'If the problem persists, report the error with a trace.',
}

const notSupported: ErrorMeaning = {
  standard: '',
  class: 'unsupported',
  words: 'This modem does not support the command, or supports it only in another form.',
  advice: 'No action needed: the modem works without this command.',
}

const cmsCodes = codesByText(cmsErrors)
const cmeCodes = codesByText(cmeErrors)

function codeOfText(source: 'cms' | 'cme', words: string): number | undefined {
  return (source === 'cms' ? cmsCodes : cmeCodes).get(textKey(words))
}

function codesByText(errors: ReadonlyMap<number, ErrorMeaning>): ReadonlyMap<string, number> {
  const codes = new Map<string, number>()
  for (const [code, meaning] of errors) {
    const key = textKey(meaning.standard)
    // `congestion` is the text of both error 42 and error 514. The table lists the standard's number, 42, first, and
    // the first number is used.
    if (!codes.has(key)) codes.set(key, code)
  }
  return codes
}

/** Firmware writes `Unknown error`, `unknown error`, `SIM not inserted` and `(U)SIM not inserted`. */
function textKey(words: string): string {
  return words
    .toLowerCase()
    .replaceAll('(u)sim', 'sim')
    .replaceAll(/[^a-z0-9]+/g, '')
}
