import { cmeErrors } from './cme-errors.ts'
import { cmsErrors } from './cms-errors.ts'

/** Why a modem refused: what was read, what it means and what to do. */
export interface CommandError {
  readonly source: 'cms' | 'cme' | 'plain'
  /** As 27.005 §3.2.5 and 27.007 §9.2 number it; also found for the textual form. */
  readonly code: number | undefined
  /** The line as it was read. */
  readonly text: string
  readonly class: ErrorClass
  /** For people: what happened. */
  readonly words: string
  /** For people: what to do about it. */
  readonly advice: string
  /** How long to leave it before trying again; undefined when trying again does not help, or nobody knows. */
  readonly retryAfterMs: number | undefined
  /** `sim`: tell somebody, this SIM cannot send. `rate`: tell somebody when it happens often. */
  readonly alarm: 'none' | 'sim' | 'rate'
}

/**
 * `permanent`, `temporary`, `sim`, `registration`, `storage`: refused, the command had no effect.
 * `duplicate`: the service centre holds it already (CMS 197).
 * `unsupported`: this firmware does not know the command, or not in this form.
 * `harmless`: nothing to do (CMS 340).
 * `unknown`: the code does not say whether it was done (CMS 332, 500, 513, a bare ERROR, codes nobody has documented).
 */
export type ErrorClass =
  | 'permanent'
  | 'temporary'
  | 'sim'
  | 'registration'
  | 'storage'
  | 'duplicate'
  | 'unsupported'
  | 'harmless'
  | 'unknown'

/** A row of the tables. */
export interface ErrorMeaning {
  /** The words of the standard, which CMEE=2 sends instead of the number. */
  readonly standard: string
  readonly class: ErrorClass
  readonly words: string
  readonly advice: string
  readonly retryAfterMs?: number
  readonly alarm?: 'sim' | 'rate'
}

/** Reads `+CMS ERROR: 38`, `+CME ERROR: SIM busy` and their spellings; undefined for any other line. */
export function readCommandError(text: string): CommandError | undefined {
  const parts = /^\+?CM([ES]) ERROR\b[:\s]*(.*)$/i.exec(text)
  if (!parts) return undefined
  const source = parts[1]?.toUpperCase() === 'S' ? 'cms' : 'cme'
  const reason = (parts[2] ?? '').replaceAll('"', '').trim()
  const code = /^\d{1,5}$/.test(reason) ? Number.parseInt(reason, 10) : codeOfWords(source, reason)
  const meaning = code === undefined ? undefined : (source === 'cms' ? cmsErrors : cmeErrors).get(code)
  return describe(source, code, text, meaning ?? undocumented)
}

/** An error without a number: `ERROR`, `COMMAND NOT SUPPORT`, `NO CARRIER`. */
export function plainError(text: string, errorClass: 'unsupported' | 'unknown'): CommandError {
  return describe('plain', undefined, text, errorClass === 'unsupported' ? notSupported : bare)
}

/** Whether the error means no. A number nobody has documented, and a bare ERROR, mean nothing. */
export function isRefusal(error: CommandError): boolean {
  switch (error.class) {
    case 'permanent':
    case 'temporary':
    case 'sim':
    case 'registration':
    case 'storage':
      return true
    case 'unsupported':
      // A bare `COMMAND NOT SUPPORT` behind a PDU tells that something was read as a command, not what.
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
  words: 'The modem gave a reason that no table knows.',
  advice: "Look it up in the manual of the modem, and report it so that it can be added to the modem's profile.",
}

const bare: ErrorMeaning = {
  standard: '',
  class: 'unknown',
  words: 'The modem refused without a reason.',
  advice: 'If it goes on, report it with a trace.',
}

const notSupported: ErrorMeaning = {
  standard: '',
  class: 'unsupported',
  words: 'This modem does not know the command, or not in this form.',
  advice: 'Nothing to do: this modem does without.',
}

const cmsCodes = codesByWords(cmsErrors)
const cmeCodes = codesByWords(cmeErrors)

function codeOfWords(source: 'cms' | 'cme', words: string): number | undefined {
  return (source === 'cms' ? cmsCodes : cmeCodes).get(wordsAsKey(words))
}

function codesByWords(errors: ReadonlyMap<number, ErrorMeaning>): ReadonlyMap<string, number> {
  const codes = new Map<string, number>()
  for (const [code, meaning] of errors) {
    const key = wordsAsKey(meaning.standard)
    // `congestion` is both 42 and 514: the number of the standard comes first and wins.
    if (!codes.has(key)) codes.set(key, code)
  }
  return codes
}

/** Firmware writes `Unknown error`, `unknown error`, `SIM not inserted` and `(U)SIM not inserted`. */
function wordsAsKey(words: string): string {
  return words
    .toLowerCase()
    .replaceAll('(u)sim', 'sim')
    .replaceAll(/[^a-z0-9]+/g, '')
}
