import { crashPoint } from '@smsgw/daemon/crash-point'
import { octetsFromHex } from '@smsgw/sms/octets'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import type { Stamp } from '../journal/change.ts'
import { mayBeAbout } from './doubt/status-reports.ts'
import { attemptResultOf } from './message/attempt-result.ts'
import type { OutgoingMessage } from './message/message.ts'
import type { SendingSim } from './sending-sim.ts'
import type { Attempt, SendingEffect, SendingInput } from './sending-state.ts'

export interface PartSubmitterOptions {
  /** Resolves when the writes that the input caused are on disk. */
  readonly step: (input: SendingInput) => Promise<void>
  readonly message: (cmdId: string) => OutgoingMessage | undefined
  readonly stamp: () => Stamp
  readonly onProblem: (error: unknown) => void
}

/**
 * Passes one part to a modem. Each step is an input of the sending machine:
 *
 * 1. The modem sends its prompt.
 * 2. COMMIT is stored on disk. If the modem sent a quick prompt within the last minute, this begins before step 1. If
 * the RESULT of the previous part is not on disk yet, both are written together, so only one part of this SIM has a
 * COMMIT without a RESULT.
 * 3. The driver writes the PDU and Ctrl-Z.
 * 4. The modem sends the result.
 * 5. RESULT is written while the next part or message begins.
 */
export class PartSubmitter {
  readonly #options: PartSubmitterOptions
  readonly #last = new WeakMap<SendingSim, Promise<unknown>>()

  constructor(options: PartSubmitterOptions) {
    this.#options = options
  }

  /** Rejects if the sending machine did not get the result. */
  async submit({
    pdu,
    tpduLength,
    text,
    moreFollow,
    ...of
  }: Extract<SendingEffect, { kind: 'submit' }>): Promise<void> {
    const { sim, cmdId, at, attempt }: Attempt = of
    const name: Attempt = { sim, cmdId, at, attempt }
    // Waits for the previous submission, whose result the modem may still be reporting.
    await this.#last.get(sim)
    let hasResult = false
    const submitting = sim.submit(text ?? { octets: octetsFromHex(pdu), tpduLength }, {
      id: JSON.stringify([cmdId, at, attempt] satisfies SubmissionId),
      moreFollow,
      isItsReport: (report) => this.#mayBeItsReport(name, report),
      beforePdu: (withdrawal) => this.#commit(name, withdrawal),
      onPdu: () => setImmediate(() => crashPoint('pdu-written')),
      afterResult: (outcome) => {
        crashPoint('result-read')
        const written = this.#options.step({ kind: 'result', ...name, result: attemptResultOf(outcome) })
        hasResult = true
        written.catch(this.#options.onProblem)
      },
    })
    this.#last.set(
      sim,
      submitting.catch(() => undefined),
    )
    const { afterResultFailure } = await submitting
    if (afterResultFailure !== undefined && !hasResult) throw afterResultFailure.error
  }

  async #commit(name: Attempt, withdrawal: { readonly cancelled: boolean }): Promise<'go' | 'abort'> {
    if (withdrawal.cancelled) return 'abort'
    crashPoint('before-commit')
    const written = this.#options.step({ kind: 'prompted', ...name })
    const part = this.#options.message(name.cmdId)?.parts[name.at]
    if (part?.state !== 'committed' || part.attempts !== name.attempt) return 'abort'
    await written
    this.#options.step({ kind: 'committed', ...name }).catch(this.#options.onProblem)
    crashPoint('after-commit')
    // Checked last, so that a submission that was withdrawn during the write is aborted.
    if (withdrawal.cancelled) return 'abort'
    return 'go'
  }

  #mayBeItsReport({ sim, cmdId, at }: Attempt, report: StatusReport): boolean {
    const message = this.#options.message(cmdId)
    const committed = message?.parts[at]?.committed
    return mayBeAbout(sim.iccid, report, message?.plan, committed, this.#options.stamp())
  }
}

/** Returns the attempt for the id with which a modem reports a late result. */
export function attemptOf(id: string): Omit<Attempt, 'sim'> {
  const [cmdId, at, attempt] = JSON.parse(id) as SubmissionId
  return { cmdId, at, attempt }
}

type SubmissionId = readonly [cmdId: string, at: number, attempt: number]
