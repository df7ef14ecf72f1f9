import { cmeTexts, cmsTexts } from './error-texts.ts'

/** The final result of a command line. `silence`: no result, because the modem restarts or a fault drops it. */
export type ResultCode =
  | 'OK'
  | 'CONNECT'
  | 'RING'
  | 'NO CARRIER'
  | 'ERROR'
  | 'NO DIALTONE'
  | 'BUSY'
  | 'NO ANSWER'
  | 'silence'
  | { readonly cme: number }
  | { readonly cms: number }
  | { readonly text: string }

export interface ResultFormat {
  /** ATV1 */
  readonly verbose: boolean
  /** CMEE: 0 means plain ERROR, 1 numbers, 2 texts. */
  readonly errorReports: 0 | 1 | 2
}

/** V.250 §6.2.1, §6.2.2: lines of answers end with the characters of S3 and S4. */
export function withLineEnds(text: string, settings: { readonly lineEnd: number; readonly lineFeed: number }): string {
  if (settings.lineEnd === 13 && settings.lineFeed === 10) return text
  return text.replaceAll('\r\n', String.fromCharCode(settings.lineEnd, settings.lineFeed))
}

/** Formats a final result (V.250 §5.7); empty for `silence`. */
export function formatResult(result: ResultCode, format: ResultFormat): string {
  if (result === 'silence') return ''
  const text = textOf(result, format.errorReports)
  if (format.verbose) return `\r\n${text}\r\n`
  const number = numericResults.indexOf(text)
  // 27.007 §9.2: +CME ERROR and +CMS ERROR keep their text form even with numeric results.
  return number < 0 ? `\r\n${text}\r\n` : `${number}\r`
}

function textOf(result: Exclude<ResultCode, 'silence'>, errorReports: 0 | 1 | 2): string {
  if (typeof result === 'string') return result
  if ('text' in result) return result.text
  if ('cme' in result) {
    if (errorReports === 0) return 'ERROR'
    return `+CME ERROR: ${errorReports === 1 ? result.cme : (cmeTexts.get(result.cme) ?? result.cme)}`
  }
  // 27.005 §3.2.5 does not mention CMEE, so modems send the CMS number even if CME errors are plain.
  return `+CMS ERROR: ${errorReports === 2 ? (cmsTexts.get(result.cms) ?? result.cms) : result.cms}`
}

/** The results of V.250 table 1. The position in the list is the number of the result. */
const numericResults = ['OK', 'CONNECT', 'RING', 'NO CARRIER', 'ERROR', '', 'NO DIALTONE', 'BUSY', 'NO ANSWER']
