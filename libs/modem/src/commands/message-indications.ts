import { integerOf, offersNumber, parseParameters } from '../at-parameters.ts'
import { lastWith, type Query } from './query.ts'

/** How the modem tells of messages that arrive (`+CNMI`). 27.005 §3.4.1 */
export interface MessageIndications {
  /** 2: codes are held back while a link is in use; 1: they are dropped then. */
  readonly mode: number
  /** 1: stored and told (`+CMTI`). 2: delivered straight (`+CMT`). */
  readonly messages: number
  /** 0: cell broadcasts are not told. */
  readonly broadcasts: number
  /** 0: no reports. 1: delivered straight (`+CDS`). 2: stored and told (`+CDSI`). */
  readonly reports: number
  /** What was held back is flushed (0) or dropped (1) when mode changes. */
  readonly buffer: number
}

export const indications = (
  mode: MessageIndications['mode'],
  messages: MessageIndications['messages'],
  reports: MessageIndications['reports'],
  buffer: MessageIndications['buffer'] = 0,
): MessageIndications => ({ mode, messages, broadcasts: 0, reports, buffer })

export function selectMessageIndications({
  mode,
  messages,
  broadcasts,
  reports,
  buffer,
}: MessageIndications): Query<true> {
  return {
    text: `AT+CNMI=${mode},${messages},${broadcasts},${reports},${buffer}`,
    timeoutMs: 5000,
    read: () => true,
  }
}

/**
 * What the modem says that it can do. Advice, no more: many advertise mode 2 and refuse it. `(2),(0-1,3),(0,2),(0-1),(0)`,
 * also without the blank or with lists missing.
 */
export const offeredMessageIndications: Query<(wanted: MessageIndications) => boolean> = {
  text: 'AT+CNMI=?',
  timeoutMs: 5000,
  prefixes: ['+CNMI'],
  read: (lines) => {
    const line = lastWith(lines, '+CNMI')
    if (line === undefined) return undefined
    const lists = parseParameters(line.body)
    return (wanted) =>
      [wanted.mode, wanted.messages, wanted.broadcasts, wanted.reports, wanted.buffer].every(
        (value, at) => lists[at] === undefined || offersNumber(lists[at], value),
      )
  },
}

/** What is in force, to see whether the modem has restarted. */
export const readMessageIndications: Query<MessageIndications> = {
  text: 'AT+CNMI?',
  timeoutMs: 5000,
  prefixes: ['+CNMI'],
  read: (lines) => {
    const values = parseParameters(lastWith(lines, '+CNMI')?.body ?? '').map(integerOf)
    const [mode, messages, broadcasts = 0, reports = 0, buffer = 0] = values
    if (mode === undefined || messages === undefined) return undefined
    return { mode, messages, broadcasts, reports, buffer }
  },
}
