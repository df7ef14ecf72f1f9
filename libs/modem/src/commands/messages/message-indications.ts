import { integerOf, offersNumber, parseParameters } from '../../wire/at-parameters.ts'
import { lastWith, type Query } from '../query.ts'

/** How the modem announces messages that arrive (`+CNMI`). 27.005 §3.4.1 */
export interface MessageIndications {
  /** In mode 2, codes are buffered while the link is in use; in mode 1, they are discarded. */
  readonly mode: number
  /** 1: stored and indicated (`+CMTI`). 2: delivered directly (`+CMT`). */
  readonly messages: number
  /** 0: the modem reports no cell broadcasts. */
  readonly broadcasts: number
  /** 0: no reports. 1: delivered directly (`+CDS`). 2: stored and indicated (`+CDSI`). */
  readonly reports: number
  /** What happens to buffered codes when the mode changes: 0 sends them, 1 discards them. */
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
 * The values that the modem claims to support. The claims are not reliable: many modems list mode 2 and refuse it.
 * Modems answer `(2),(0-1,3),(0,2),(0-1),(0)`, some without the blank after the colon, some with fewer lists.
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

/** Reads the current setting, to detect a restart. */
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
