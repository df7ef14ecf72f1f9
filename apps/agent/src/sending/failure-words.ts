import type { Job } from './job.ts'

/** Why a message failed, as a code that stays the same while words get better. */
export type FailureCode =
  | 'ttl_expired'
  | 'gave_up'
  | 'refused'
  | 'submit_unknown'
  | 'report_failed'
  | 'no_such_sim'
  | 'undecryptable'
  | 'unwritable'

/** Says how many went out, when some did. */
export function withParts(job: Job, reason: string): string {
  return job.partsSent > 0 ? `partial ${job.partsSent}/${job.parts.length}: ${reason}` : reason
}

export const ttlExpired = 'TTL expired'

export const submitUnknown =
  'submit_unknown: the modem was given the message and never said what became of it. It may have arrived; ask before you send it again'

export const outcomeUnknown =
  'outcome unknown: the modem was given the message and has not said what became of it; waiting for a report or a late answer'

export const notConfirmed =
  'this machine was started anew, and the relay, which alone can tell whether the journal is an old copy, was not reached since'

export function noSuchSim(asked: number, known: ReadonlySet<number>): string {
  const has = [...known].sort((a, b) => a - b).join(', ') || 'none'
  return `this device has no SIM ${asked}; it has: ${has}`
}
