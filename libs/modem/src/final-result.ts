import { type CommandError, plainError, readCommandError } from './command-error.ts'

/** What ends a command (27.007 §4.1, V.250 §5.7.1, and what firmware says instead). */
export type FinalResult =
  | { readonly kind: 'ok' }
  | { readonly kind: 'error'; readonly error: CommandError }
  /** Ends a command that dials; news about a call for every other. `error` is missing for `CONNECT`. */
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

/** V.250 §6.2.6, ATV0: digits for words. Only to be asked of a modem known to be in that mode. */
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

// Huawei and its kin; always in capitals, so no text of a person is taken for it by chance.
const unsupported = /^(COMMAND NOT SUPPORT(ED)?|TOO MANY PARAMETERS|NOT SUPPORT(ED)?|INVALID COMMAND( LINE)?)$/

function callResult(text: string): FinalResult | undefined {
  if (text === 'CONNECT' || /^CONNECT \d+/.test(text)) return { kind: 'call', text: 'CONNECT', error: undefined }
  if (text !== 'NO CARRIER' && text !== 'BUSY' && text !== 'NO ANSWER' && text !== 'NO DIALTONE') return undefined
  return { kind: 'call', text, error: plainError(text, 'unknown') }
}
