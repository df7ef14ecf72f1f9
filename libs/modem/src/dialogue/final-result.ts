import { type CommandError, plainError, readCommandError } from './command-error.ts'

/** The final result of a command (27.007 §4.1, V.250 §5.7.1, and the variants of firmware). */
export type FinalResult =
  | { readonly kind: 'ok' }
  | { readonly kind: 'error'; readonly error: CommandError }
  /**
   * Ends a command that dials; for any other command it concerns an unrelated call. `error` is missing for `CONNECT`.
   */
  | { readonly kind: 'call'; readonly text: CallResult; readonly error: CommandError | undefined }

export type CallResult = 'NO CARRIER' | 'CONNECT' | 'BUSY' | 'NO ANSWER' | 'NO DIALTONE'

export function readFinalResult(text: string): FinalResult | undefined {
  if (text === 'OK') return ok
  if (text.startsWith('+') || text.startsWith('CM')) {
    const error = readCommandError(text)
    return error && { kind: 'error', error }
  }
  if (text === 'ERROR' || /^ERROR: ?\d+$/.test(text)) return { kind: 'error', error: plainError(text, 'unknown') }
  if (unsupported.test(text)) return { kind: 'error', error: plainError(text, 'unsupported') }
  if (text === 'ABORTED') return { kind: 'error', error: plainError(text, 'unknown') }
  return callResult(text)
}

/** V.250 §6.2.6, ATV0: numeric results. Use it only for a modem known to be in that mode. */
export function readNumericResult(text: string): FinalResult | undefined {
  switch (text) {
    case '0':
      return ok
    case '1':
      return callResult('CONNECT')
    case '3':
      return callResult('NO CARRIER')
    case '4':
      return { kind: 'error', error: plainError('ERROR', 'unknown') }
    case '6':
      return callResult('NO DIALTONE')
    case '7':
      return callResult('BUSY')
    case '8':
      return callResult('NO ANSWER')
    default:
      return undefined
  }
}

const ok: FinalResult = { kind: 'ok' }

// Huawei and similar firmware; always in capitals, so that text from a person does not match.
const unsupported = /^(COMMAND NOT SUPPORT(ED)?|TOO MANY PARAMETERS|NOT SUPPORT(ED)?|INVALID COMMAND( LINE)?)$/

function callResult(text: string): FinalResult | undefined {
  if (text === 'CONNECT' || /^CONNECT \d+/.test(text)) return { kind: 'call', text: 'CONNECT', error: undefined }
  if (text !== 'NO CARRIER' && text !== 'BUSY' && text !== 'NO ANSWER' && text !== 'NO DIALTONE') return undefined
  return { kind: 'call', text, error: plainError(text, 'unknown') }
}
