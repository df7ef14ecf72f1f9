import type { FailureCode } from '@smsgw/contract/messages/failure-code'
import type { NetworkCause } from '@smsgw/contract/messages/network-cause'
import { isPermanentReport } from '../messages/timeline-words.ts'

/**
 * What a person can do about a failed message:
 * - `send-again`: the same message may succeed
 * - `ask-first`: it may have arrived, so a second one needs a confirmation
 * - `correct-number`: it would fail again at this number
 * - `edit`: it would fail again with this content
 */
export type NextAction = 'send-again' | 'ask-first' | 'correct-number' | 'edit'

interface Failure {
  readonly errorCode?: string | undefined
  readonly networkCode?: string | undefined
  readonly cause?: NetworkCause | undefined
}

/** Follows the advice that the timeline shows for the same failure. */
export function nextAction({ errorCode = '', networkCode, cause }: Failure): NextAction {
  const byCode = byFailure[errorCode as FailureCode]
  if (byCode !== undefined) return byCode
  if (errorCode === 'report_failed') return isPermanentReport(networkCode) ? 'correct-number' : 'send-again'
  return (cause !== undefined && byCause[cause]) || 'send-again'
}

const byFailure: Readonly<Partial<Record<FailureCode, NextAction>>> = {
  submit_unknown: 'ask-first',
  device_lost: 'ask-first',
  too_large: 'edit',
  unwritable: 'edit',
  no_such_sim: 'edit',
  approval_refused: 'edit',
}

const byCause: Readonly<Partial<Record<NetworkCause, NextAction>>> = {
  number_not_assigned: 'correct-number',
  recipient_unknown: 'correct-number',
  number_refused: 'correct-number',
  recipient_barred: 'correct-number',
  other_network_refused: 'correct-number',
  message_rejected: 'edit',
  network_refused_format: 'edit',
  service_centre_refused_format: 'edit',
  service_centre_refused_command: 'edit',
  application_refused: 'edit',
  modem_refused_format: 'edit',
  modem_unsupported: 'edit',
}
