import { cmeWords, cmsWords } from './error-words.ts'

/** How a command line ends. `silence`: it does not, because the modem restarts, or because a fault swallows it. */
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
  | { readonly words: string }

export interface ResultFormat {
  /** ATV1 */
  readonly verbose: boolean
  /** CMEE: 0 plain ERROR, 1 numbers, 2 words. */
  readonly errorReports: 0 | 1 | 2
}

/** V.250 §6.2.1, §6.2.2: answers end their lines with the characters of S3 and S4. */
export function withLineEnds(text: string, settings: { readonly lineEnd: number; readonly lineFeed: number }): string {
  if (settings.lineEnd === 13 && settings.lineFeed === 10) return text
  return text.replaceAll('\r\n', String.fromCharCode(settings.lineEnd, settings.lineFeed))
}

/** The bytes of a final result (V.250 §5.7); empty for silence. */
export function formatResult(result: ResultCode, format: ResultFormat): string {
  if (result === 'silence') return ''
  const words = wordsOf(result, format.errorReports)
  if (format.verbose) return `\r\n${words}\r\n`
  const number = numericResults.indexOf(words)
  // 27.007 §9.2: an error with a number of its own keeps its words even when results are numbers.
  return number < 0 ? `\r\n${words}\r\n` : `${number}\r`
}

function wordsOf(result: Exclude<ResultCode, 'silence'>, errorReports: 0 | 1 | 2): string {
  if (typeof result === 'string') return result
  if ('words' in result) return result.words
  if ('cme' in result) {
    if (errorReports === 0) return 'ERROR'
    return `+CME ERROR: ${errorReports === 1 ? result.cme : (cmeWords.get(result.cme) ?? result.cme)}`
  }
  // 27.005 §3.2.5 knows no CMEE: modems give the number also where CME errors are plain.
  return `+CMS ERROR: ${errorReports === 2 ? (cmsWords.get(result.cms) ?? result.cms) : result.cms}`
}

/** V.250 table 1; the place is the number. */
const numericResults = ['OK', 'CONNECT', 'RING', 'NO CARRIER', 'ERROR', '', 'NO DIALTONE', 'BUSY', 'NO ANSWER']
