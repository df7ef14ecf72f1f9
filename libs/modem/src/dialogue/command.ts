import type { ResponseLine } from '../wire/response-line.ts'
import type { CommandError } from './errors/command-error.ts'

/**
 * One AT command, and the lines that belong to its answer.
 *
 * A line belongs to the answer if its prefix is in `prefixes`, or if it has no prefix and `bare` accepts it. For bare
 * lines, the table of unsolicited codes is checked first. If a prefix belongs to both an answer and an unsolicited code
 * (`+CREG`, `+CPIN`, …), the table's rule decides. No other line is added to an answer.
 */
export interface AtCommand {
  /** The command line without the final CR: `AT+CSQ`. */
  readonly text: string
  /** The longest time without output from the modem. Each line of the answer restarts this time. */
  readonly timeoutMs: number
  /** The limit for the whole answer. Default: ten times `timeoutMs`. */
  readonly limitMs?: number
  /** Prefixes of the answer without the colon: `['+CSQ']`. Default: none, so the answer is only a final result. */
  readonly prefixes?: readonly string[]
  /** Accepts lines without a prefix (`ATI`, `AT+CGSN`). Use `anyBareLine` for free text. Default: none. */
  readonly bare?: (line: string) => boolean
  /** Each prefixed line is followed by a line of hexadecimal digits (`+CMGL`, `+CMGR`). */
  readonly withPayload?: boolean
  /**
   * The answer has at most one line. If several lines arrive, the last line is the answer and the earlier lines are
   * reported as unsolicited, because an unsolicited `+CPIN: READY` looks like an answer. In any case, the last line is
   * the latest state.
   */
  readonly single?: boolean
  /** How much of the command and its answer a trace may show. Default `ordinary`. */
  readonly sensitivity?: Sensitivity
}

/**
 * `plain`: lines of free text are shown (manufacturer, model). `ordinary`: numbers, PDUs and texts are masked.
 * `secret`: every parameter is masked (PIN). Long runs of digits are masked in all three.
 */
export type Sensitivity = 'plain' | 'ordinary' | 'secret'

export type AtOutcome =
  | { readonly kind: 'ok'; readonly lines: readonly ResponseLine[] }
  | { readonly kind: 'error'; readonly error: CommandError; readonly lines: readonly ResponseLine[] }
  /** The command was written, but no final result arrived. It is unknown whether the modem executed the command. */
  | { readonly kind: 'unanswered'; readonly why: Unanswered; readonly lines: readonly ResponseLine[] }
  /** The command was not written. */
  | { readonly kind: 'not-sent'; readonly why: NotSent }

/** `flooded`: the answer exceeded the limit of characters. `restarted`: the modem reported that it has just booted. */
export type Unanswered = 'timeout' | 'flooded' | 'restarted' | 'cancelled' | 'port-lost'

/** `out-of-step`: resynchronisation failed; see `Dialogue.resynchronise`. */
export type NotSent = 'out-of-step' | 'cancelled' | 'port-lost' | 'unwritable'

/**
 * Returns true if the text can be written. A control character would end the command and begin another command, and
 * each character must fit into one byte.
 */
export function isWritable(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code > 0xff) return false
  }
  return true
}

export const anyBareLine = (): boolean => true
