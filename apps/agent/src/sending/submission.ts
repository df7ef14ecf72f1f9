import { octetsFromHex } from '@smsgw/sms/octets'
import { storable } from '@smsgw/sms/ucs2'
import { crashPoint } from '../crash-point.ts'
import type { Change } from '../journal/change.ts'
import type { Journal } from '../journal/journal.ts'
import type { Keep } from '../journal/keep-writing.ts'
import type { TrustedTime } from '../time/trusted-time.ts'
import type { Happenings } from './happenings.ts'
import type { Job, JobPart } from './job.ts'
import type { SendingSim } from './sim.ts'
import type { UnwrittenResults } from './unwritten-results.ts'
import { type Verdict, verdictOf } from './verdict.ts'

export interface SubmissionParts {
  readonly journal: Journal
  readonly time: TrustedTime
  readonly happenings: Happenings
  /** Writes what must not be lost, for as long as it takes. */
  readonly keep: Keep
  readonly unwritten: UnwrittenResults
}

/**
 * Hands one part to the modem, with the journal in between:
 *
 *     prompt → COMMIT, durable → PDU and Ctrl-Z → result, told at once → RESULT, written while the next one begins
 *
 * The plan is written with the first COMMIT: before it, nothing of the message is on the air.
 */
export function submitPart(
  job: Job,
  at: number,
  sim: SendingSim,
  options: {
    readonly moreFollow: boolean
    /** Asked last before it is written down that the part goes. */
    readonly mayStillGo: () => boolean
    /** What else the result means, to be written with it. */
    readonly consequences: (verdict: Verdict) => readonly Change[]
  },
  parts: SubmissionParts,
): Promise<PartEnd> {
  const part = job.parts[at] as JobPart
  const attempt = part.attempts + 1
  const key = { cmdId: job.cmdId, part: at + 1, attempt }
  return new Promise((resolve, reject) => {
    let committed = false
    let isWritten: (() => void) | undefined
    const submitted = sim.submit(
      { octets: octetsFromHex(part.pdu), tpduLength: part.tpduLength },
      {
        id: submissionId(job.cmdId, at, attempt),
        moreFollow: options.moreFollow,
        beforePdu: async (withdrawal) => {
          if (withdrawal.cancelled || !options.mayStillGo()) return 'abort'
          crashPoint('before-commit')
          committed = true
          part.attempts = attempt
          part.state = 'committed'
          isWritten = parts.unwritten.add(job, part)
          await parts.journal.write([
            ...unwrittenPlan(job),
            {
              kind: 'part-committed',
              ...key,
              at: stampOf(part, parts.time),
              evidence: { reference: lastReference(sim) },
            },
          ])
          job.isPlanWritten = true
          crashPoint('after-commit')
          // Looked at last of all: what was withdrawn meanwhile is not sent, and its result says so.
          if (withdrawal.cancelled) return 'abort'
          setImmediate(() => crashPoint('pdu-written'))
          return 'go'
        },
        afterResult: (outcome) => {
          crashPoint('result-read')
          const verdict = verdictOf(outcome)
          settle(part, verdict, sim, committed)
          const changes = committed ? changesOf(job, at, key, verdict, parts) : []
          const written = parts.keep([...changes, ...options.consequences(verdict)], { mayWait: true })
          written.finally(() => isWritten?.()).then(() => crashPoint('result-journaled'), reject)
          resolve({ verdict, committed, written })
        },
      },
    )
    submitted.then(({ afterResultFailure }) => {
      // Nobody would be told what became of it.
      if (afterResultFailure !== undefined) reject(afterResultFailure.error)
    }, reject)
  })
}

function unwrittenPlan({ cmdId, plan, isPlanWritten }: Job): Change[] {
  return plan === undefined || isPlanWritten ? [] : [{ kind: 'command-planned', cmdId, plan }]
}

export interface PartEnd {
  readonly verdict: Verdict
  /** Whether the journal holds a COMMIT of this attempt. */
  readonly committed: boolean
  /** When the RESULT is on disk. */
  readonly written: Promise<void>
}

/** An answer to an attempt whose outcome had been unknown. */
export function settle(part: JobPart, verdict: Verdict, sim: { readonly iccid: string }, committed = true): void {
  switch (verdict.kind) {
    case 'accepted':
      part.state = 'accepted'
      part.reference = verdict.reference
      if (verdict.reference !== undefined) lastReferences.set(sim.iccid, verdict.reference)
      break
    case 'refused':
      part.state = 'refused'
      break
    case 'unsent':
      part.state = committed ? 'not-sent' : part.state
      break
    case 'unknown':
      part.state = 'unknown'
  }
}

export function changesOf(
  job: Job,
  at: number,
  key: { readonly cmdId: string; readonly part: number; readonly attempt: number },
  verdict: Verdict,
  { time, happenings }: Pick<SubmissionParts, 'time' | 'happenings'>,
): Change[] {
  const stamp = time.stamp()
  if (verdict.kind === 'unsent') {
    return [{ kind: 'part-result', ...key, at: stamp, result: 'not-sent', code: verdict.why }]
  }
  const told = {
    result: verdict.kind,
    ...(verdict.kind === 'accepted' && verdict.reference !== undefined && { reference: verdict.reference }),
    ...(verdict.kind !== 'accepted' && { code: storable(verdict.code.slice(0, 200)) }),
  }
  const explained = verdict.kind === 'refused' ? verdict.explained : undefined
  return [
    { kind: 'part-result', ...key, at: stamp, ...told },
    happenings.partSubmitted(job, at, { ...told, ...explained }, stamp),
  ]
}

/** Under it a late result comes back. */
function submissionId(cmdId: string, at: number, attempt: number): string {
  return JSON.stringify([cmdId, at, attempt])
}

export function submissionOf(id: string): { cmdId: string; at: number; attempt: number } {
  const [cmdId, at, attempt] = JSON.parse(id) as [string, number, number]
  return { cmdId, at, attempt }
}

/** TP-MR of the last part that each SIM has sent, as far as this process has seen it: a hint for people, when in doubt. */
const lastReferences = new Map<string, number>()

function lastReference(sim: { readonly iccid: string }): number | null {
  return lastReferences.get(sim.iccid) ?? null
}

function stampOf(part: JobPart, time: TrustedTime) {
  const stamp = time.stamp()
  part.committed = stamp
  return stamp
}
