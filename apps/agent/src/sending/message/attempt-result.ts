import type { CommandError } from '@smsgw/modem/dialogue/errors/command-error'
import type { LateOutcome } from '@smsgw/modem/send/submission'
import type { SubmitOutcome } from '@smsgw/modem/send/submit'

/**
 * The result of an attempt to send a part.
 *
 * - `accepted`: the network has the part.
 * - `refused`: the part was not sent. `again` tells when another attempt may succeed: `never`, `later` (the cause is
 *   temporary) or `sim` (the cause is the SIM, which is paused).
 * - `unsent`: no byte of the PDU left this machine, because of the state of the modem.
 * - `unknown`: the part may have been sent, so it is not sent again automatically.
 */
export type AttemptResult =
  | { readonly kind: 'accepted'; readonly reference: number | undefined }
  | {
      readonly kind: 'refused'
      readonly again: 'never' | 'later' | 'sim'
      readonly retryAfterMs: number
      /** For example `CMS 38`. */
      readonly code: string
      /** Description and advice in one text. */
      readonly reason: string
      /** Description and advice as separate texts. */
      readonly explained?: { readonly words: string; readonly advice: string }
    }
  | { readonly kind: 'unsent'; readonly why: string }
  | { readonly kind: 'unknown'; readonly code: string }

export function attemptResultOf(outcome: SubmitOutcome | LateOutcome): AttemptResult {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'accepted', reference: outcome.messageReference }
    case 'refused':
      return refusal(outcome.error)
    case 'not-sent':
      return { kind: 'unsent', why: outcome.why }
    case 'unknown':
      return { kind: 'unknown', code: outcome.error === undefined ? outcome.why : codeOf(outcome.error) }
  }
}

function refusal(error: CommandError): AttemptResult {
  const again = againOf(error)
  return {
    kind: 'refused',
    again,
    retryAfterMs: error.retryAfterMs ?? usualPauseMs[again],
    code: codeOf(error),
    reason: `${error.words} ${error.advice} (${codeOf(error)})`,
    explained: { words: error.words, advice: error.advice },
  }
}

function againOf(error: CommandError): 'never' | 'later' | 'sim' {
  switch (error.class) {
    case 'temporary':
    case 'registration':
    case 'storage':
      return 'later'
    case 'sim':
      return 'sim'
    default:
      return 'never'
  }
}

const usualPauseMs = { never: 0, later: 30_000, sim: 60_000 }

function codeOf(error: CommandError): string {
  return error.code === undefined ? error.text : `${error.source.toUpperCase()} ${error.code}`
}
