/** The meaning of one error code: a row in the tables of `+CMS` and `+CME` errors. */
export interface ErrorMeaning {
  /** The text in the standard. After AT+CMEE=2, the modem sends this text instead of the number of the error. */
  readonly standard: string
  readonly class: ErrorClass
  readonly words: string
  readonly advice: string
  readonly retryAfterMs?: number
  readonly alarm?: 'sim' | 'rate'
}

/**
 * `permanent`, `temporary`, `sim`, `registration`, `storage`: the command was refused and had no effect. `duplicate`:
 * the service centre already has the message (CMS 197). `unsupported`: the firmware does not support the command, or
 * does not support it in this form. `harmless`: no action needed (CMS 340). `unknown`: the code does not show whether
 * the command was executed (CMS 332, 500, 513, a bare ERROR, undocumented codes).
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

/** Returns the meaning of one error code. */
export function of(
  kind: ErrorClass,
  standard: string,
  words: string,
  advice: string,
  retryAfterMs?: number,
): ErrorMeaning {
  return { standard, class: kind, words, advice, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Returns the meaning of an error code that concerns the SIM. */
export function sim(standard: string, words: string, advice: string): ErrorMeaning {
  return { ...of('sim', standard, words, advice), alarm: 'sim' }
}

export function byCode(meanings: Readonly<Record<number, ErrorMeaning>>): ReadonlyMap<number, ErrorMeaning> {
  return new Map(Object.entries(meanings).map(([code, meaning]) => [Number(code), meaning]))
}

/** Advice if the SIM requires its PIN. */
export const pinAdvice =
  'Enter the PIN in the console or with the command setup, or set SIM_1_PIN (for SIM 2: SIM_2_PIN).'
