import type { CommandError } from './command-error.ts'
import type { ResponseLine } from './response-line.ts'

/**
 * One AT command and how its answer is told from everything else a modem says meanwhile.
 *
 * A line belongs to the answer when its prefix is in `prefixes`, or when it has no prefix and `bare` accepts it. The
 * table of unsolicited codes is asked first for bare lines; for a prefix that is both (`+CREG`, `+CPIN`, …) the table's
 * own rule decides. Nothing else ever enters an answer.
 */
export interface Command {
  /** As typed, without the final CR: `AT+CSQ`. */
  readonly text: string
  /** How long the modem may be silent; each line of the answer starts it anew. */
  readonly timeoutMs: number
  /** How long it may take in all, whatever flows. Default: ten times `timeoutMs`. */
  readonly limitMs?: number
  /** Prefixes of the answer without the colon: `['+CSQ']`. Default: none, a final result only. */
  readonly prefixes?: readonly string[]
  /** Accepts lines without a prefix (`ATI`, `AT+CGSN`). Use `anyBareLine` for free text. Default: none. */
  readonly bare?: (line: string) => boolean
  /** Each prefixed line is followed by one of hexadecimal digits (`+CMGL`, `+CMGR`). */
  readonly withPayload?: boolean
  /**
   * The answer has one line at most. Of several the last is kept and the earlier are reported as unsolicited: an
   * unsolicited `+CPIN: READY` cannot be told from an answer, but the last word is true either way.
   */
  readonly single?: boolean
  /** `NO CARRIER`, `BUSY`, `NO ANSWER` and `CONNECT` end it. Elsewhere they are news about somebody else's call. */
  readonly dials?: boolean
  /** How much a trace may show of it. Default `ordinary`. */
  readonly sensitivity?: Sensitivity
}

/**
 * `plain`: lines of free text may be shown (manufacturer, model). `ordinary`: numbers, PDUs and texts are masked.
 * `secret`: every parameter is masked (PIN). Long runs of digits are masked in all three.
 */
export type Sensitivity = 'plain' | 'ordinary' | 'secret'

export type CommandOutcome =
  | { readonly kind: 'ok'; readonly lines: readonly ResponseLine[] }
  | { readonly kind: 'error'; readonly error: CommandError; readonly lines: readonly ResponseLine[] }
  /** Written, and no final result came: nobody knows whether the modem did it. */
  | { readonly kind: 'unanswered'; readonly why: Unanswered; readonly lines: readonly ResponseLine[] }
  /** Not a byte of it was written. */
  | { readonly kind: 'not-sent'; readonly why: NotSent }

/** `flooded`: the answer outgrew every bound. `restarted`: the modem said that it has just booted. */
export type Unanswered = 'timeout' | 'flooded' | 'restarted' | 'cancelled' | 'port-lost'

/** `out-of-step`: the modem could not be brought back in step; see `Dialogue.resynchronise`. */
export type NotSent = 'out-of-step' | 'cancelled' | 'port-lost' | 'unwritable'

/** `unwritable`: a control character within would end the command there and begin another. One character is one byte. */
export function isWritable(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code > 0xff) return false
  }
  return true
}

export const anyBareLine = (): boolean => true
