import type { AgentEvent } from '@smsgw/contract/link/event'
import { statusFromOctet } from '@smsgw/sms/status'
import { storable } from '@smsgw/sms/ucs2'
import type { Change, Stamp } from '../journal/change.ts'
import type { TrustedTime } from '../time/trusted-time.ts'
import type { FailureCode } from './failure-words.ts'
import type { Job } from './job.ts'
import type { SendingSim } from './sim.ts'

/** The events of a message, as changes that commit with their cause. */
export class Happenings {
  readonly #time: TrustedTime

  constructor(time: TrustedTime) {
    this.#time = time
  }

  processed(cmdId: string, at: Stamp): Change {
    return this.#event({ kind: 'processed', cmdId, at: this.#time.local(at.wallMs) })
  }

  partSubmitted(
    job: Job,
    part: number,
    result: {
      readonly result: 'accepted' | 'refused' | 'unknown'
      readonly reference?: number
      readonly code?: string
      readonly words?: string
      readonly advice?: string
    },
    at: Stamp,
  ): Change {
    return this.#event({
      kind: 'part-submitted',
      cmdId: job.cmdId,
      at: this.#time.local(at.wallMs),
      part: part + 1,
      parts: job.parts.length,
      simNumber: job.simNumber ?? 1,
      ...result,
    })
  }

  partReported(cmdId: string, part: number, status: number, at: Stamp): Change {
    const { words } = statusFromOctet(status)
    return this.#event({ kind: 'part-reported', cmdId, at: this.#time.local(at.wallMs), part: part + 1, status, words })
  }

  sent(job: Job, sim: Pick<SendingSim, 'simNumber' | 'phoneNumber'>, at: Stamp): Change {
    return this.#event({
      kind: 'sent',
      cmdId: job.cmdId,
      at: this.#time.local(at.wallMs),
      simNumber: sim.simNumber,
      parts: job.parts.length,
      ...sentBy(sim.phoneNumber),
      ...(job.possibleDuplicate && { possibleDuplicate: true }),
    })
  }

  delivered(cmdId: string, sim: Pick<SendingSim, 'simNumber' | 'phoneNumber'>, at: Stamp): Change {
    return this.#event({
      kind: 'delivered',
      cmdId,
      at: this.#time.local(at.wallMs),
      simNumber: sim.simNumber,
      ...sentBy(sim.phoneNumber),
    })
  }

  failed(job: Job, code: FailureCode, reason: string, sender: string | undefined, at: Stamp): Change {
    return this.#event({
      kind: 'failed',
      cmdId: job.cmdId,
      at: this.#time.local(at.wallMs),
      code,
      reason: worded(reason, 500),
      ...(job.simNumber !== undefined && { simNumber: job.simNumber }),
      ...sentBy(sender),
      ...(job.parts.length > 0 && { partsSent: job.partsSent, parts: job.parts.length }),
    })
  }

  waiting(cmdId: string, code: 'outcome_unknown' | 'retrying', reason: string, at: Stamp): Change {
    return this.#event({
      kind: 'waiting',
      cmdId,
      at: this.#time.local(at.wallMs),
      code,
      reason: worded(reason, 500),
    })
  }

  cancelled(cmdId: string, at: Stamp): Change {
    return this.#event({ kind: 'cancelled', cmdId, at: this.#time.local(at.wallMs) })
  }

  cancelRefused(cmdId: string, at: Stamp): Change {
    return this.#event({ kind: 'cancel-refused', cmdId, at: this.#time.local(at.wallMs) })
  }

  held(simNumber: number, why: 'limit' | 'work-hours', untilMs: number, at: Stamp): Change {
    const reason = why === 'limit' ? 'the limit of messages is reached' : 'it is outside the work hours'
    return this.#event({
      kind: 'logged',
      at: this.#time.local(at.wallMs),
      module: 'sending',
      priority: 'INFO',
      message: `SIM ${simNumber} sends nothing until ${this.#time.local(untilMs)}: ${reason}`,
    })
  }

  #event(event: AgentEvent): Change {
    return { kind: 'event', event }
  }
}

/** As the SIM tells it, which may be anything. */
function sentBy(phoneNumber: string | undefined): { readonly sender?: string } {
  return phoneNumber === undefined ? {} : { sender: worded(phoneNumber, 128) }
}

/** What a modem said stands in it: no longer than an event takes, and nothing that a database does not keep. */
function worded(text: string, most: number): string {
  return storable(text.slice(0, most))
}
