import { type CommandError, plainError, readCommandError } from './errors/command-error.ts'

/** The final result of a command (27.007 §4.1, V.250 §5.7.1, and the variants of firmware). */
export type FinalResult =
  | { readonly kind: 'ok' }
  | { readonly kind: 'error'; readonly error: CommandError }
  /** The result concerns a call. This driver never makes calls, so the result does not end any command. */
  | { readonly kind: 'call' }

export function readFinalResult(text: string): FinalResult | undefined {
  if (text === 'OK') return ok
  if (text.startsWith('+') || text.startsWith('CM')) {
    const error = readCommandError(text)
    return error && { kind: 'error', error }
  }
  if (text === 'ERROR' || /^ERROR: ?\d+$/.test(text)) return { kind: 'error', error: plainError(text, 'unknown') }
  if (unsupported.test(text)) return { kind: 'error', error: plainError(text, 'unsupported') }
  if (text === 'ABORTED') return { kind: 'error', error: plainError(text, 'unknown') }
  return callResult.test(text) ? call : undefined
}

/** V.250 §6.2.6, ATV0: numeric results. Use it only for a modem known to be in that mode. */
export function readNumericResult(text: string): FinalResult | undefined {
  switch (text) {
    case '0':
      return ok
    case '4':
      return { kind: 'error', error: plainError('ERROR', 'unknown') }
    case '1':
    case '3':
    case '6':
    case '7':
    case '8':
      return call
    default:
      return undefined
  }
}

const ok: FinalResult = { kind: 'ok' }
const call: FinalResult = { kind: 'call' }

// Huawei and similar firmware send this result. Only capitals match, because message texts rarely contain these words
// in capitals.
const unsupported = /^(COMMAND NOT SUPPORT(ED)?|TOO MANY PARAMETERS|NOT SUPPORT(ED)?|INVALID COMMAND( LINE)?)$/

const callResult = /^(CONNECT|CONNECT \d.*|NO CARRIER|BUSY|NO ANSWER|NO DIALTONE)$/
