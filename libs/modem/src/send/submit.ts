// Outbound path, step 14: sends one part and decides its outcome. Next: submission-exchange.ts.

import { hexFromOctets } from '@smsgw/sms/octets'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import { Cancellation } from '../cancellation.ts'
import type { Clock } from '../clock.ts'
import { keepLinkOpen } from '../commands/messages/message-settings.ts'
import { runQuery } from '../commands/query.ts'
import type { Dialogue } from '../dialogue/dialogue.ts'
import type { SubmitTraits } from '../profiles/profile.ts'
import { readIncoming } from '../receive/incoming-message.ts'
import type { Unsolicited } from '../wire/unsolicited.ts'
import type { AskBeforePdu } from './before-pdu.ts'
import type { ProbeTraits } from './result-probe.ts'
import type { SubmissionNotSent, SubmissionOutcome } from './submission.ts'

/** A message from `encodeForModem`. */
export interface OutgoingPdu {
  /** Service centre address and TPDU. */
  readonly octets: Uint8Array
  /** The length of the TPDU alone, in octets. */
  readonly tpduLength: number
}

/** A message for a modem that encodes the PDUs itself (HiLink sticks). */
export interface OutgoingText {
  readonly text: string
  /** `+447700900123`, or the digits as dialled. */
  readonly destination: string
}

export interface SubmitOptions {
  /** The caller's id of the message, which a late result contains. */
  readonly id: string
  /**
   * Called when the modem waits for the PDU and no byte of it has been written. The hook stores that the message is
   * about to be sent. Meanwhile the modem waits. If the hook takes more than 5 s, the message is not sent.
   *
   * In that case, the outcome is reported when the hook has ended, so that the hook's record precedes the outcome. If
   * the hook takes another 5 s, the outcome is reported without waiting for the hook. The hook should therefore check
   * `withdrawal.cancelled` immediately before it stores a record. The hook's record and the record of the outcome may
   * be stored in either order, so the journal should keep both of them for each attempt.
   *
   * If the modem sent its last prompt within a few milliseconds, not more than a minute ago, the hook is called as soon
   * as the command is written. The message may then end as `not-sent` or `refused` after the hook has returned `go`.
   */
  readonly beforePdu: AskBeforePdu
  /** Called when PDU and Ctrl-Z were written. */
  readonly onPdu?: () => void
  /**
   * Called as soon as the outcome is known, before the next message begins. An error thrown here does not change the
   * outcome.
   */
  readonly afterResult?: (outcome: SubmitOutcome) => void | Promise<void>
  /**
   * A status report may arrive before the result. Returns true if this report matches the message by number and time.
   * A match shows that the network has the message. The driver then asks the modem a question (`ResultProbe`) to find
   * out whether the modem still answers. Default: no report matches.
   */
  readonly isItsReport?: (report: StatusReport) => boolean
  /** True if another message follows at once, so that the link may be kept open. */
  readonly moreFollow?: boolean
}

/**
 * `not-ready`: the modem is not set up, or has just restarted. As with every `not-sent`, the message is provably
 * unsent.
 */
export type SubmitOutcome =
  | Exclude<SubmissionOutcome, { kind: 'not-sent' }>
  | { readonly kind: 'not-sent'; readonly why: SubmissionNotSent | 'not-ready' }

/**
 * `afterResultFailure`: the error thrown by `afterResult`. The outcome is still valid, and the caller can store it
 * again.
 */
export type Submitted = SubmitOutcome & { readonly afterResultFailure?: { readonly error: unknown } }

/**
 * Sends messages one after the other, in the order of the calls to `submit`, with one command for each message. For
 * consecutive messages the modem is asked once to keep the link open, if its profile allows this.
 *
 * Nothing is sent between a sign of a restart and the end of the new setup, because the modem may be in text mode,
 * where `AT+CMGS=24` sends to the number 24.
 */
export class Submitter {
  readonly #dialogue: Pick<Dialogue, 'submit' | 'execute'>
  readonly #clock: Clock
  readonly #onOutcome: (id: string, outcome: SubmitOutcome) => void
  readonly #waiting: { readonly start: () => Promise<void> }[] = []
  #busy = false
  #gate: SubmitGate = { kind: 'closed' }
  #withdrawal = new Cancellation()
  #linkHeld = false
  #linkRefused = false
  #lastResultAtMs = 0
  /** The time of the modem's last prompt, if this prompt was quick. */
  #quickPromptAtMs: number | undefined
  readonly #references = new RecentReferences()
  readonly #times = new SubmissionTimes()
  /** True if a question may have aborted an earlier submission. */
  #mayAbort = false
  /** Id of the last message whose wait for the result was ended by an answer to a question. */
  #givenUpEarly: string | undefined
  /** True if the modem once answered a question before an earlier command. */
  #answersOutOfTurn = false

  constructor(options: {
    readonly dialogue: Pick<Dialogue, 'submit' | 'execute'>
    readonly clock: Clock
    readonly onOutcome: (id: string, outcome: SubmitOutcome) => void
  }) {
    this.#dialogue = options.dialogue
    this.#clock = options.clock
    this.#onOutcome = options.onOutcome
  }

  /** Must be called when the modem is set up. */
  open(traits: SubmitTraits): void {
    this.#withdrawal = new Cancellation()
    this.#linkHeld = false
    this.#linkRefused = !traits.keepLinkOpen
    this.#quickPromptAtMs = undefined
    this.#setGate({ kind: 'open', traits })
  }

  /** Delays new messages while `held` is true. */
  hold(held: boolean): void {
    if (this.#gate.kind === 'closed') return
    this.#setGate({ kind: held ? 'held' : 'open', traits: this.#gate.traits })
  }

  /** Ends all waiting messages, and all later messages, without sending them. */
  close(): void {
    this.#setGate({ kind: 'closed' })
  }

  #setGate(gate: SubmitGate): void {
    this.#gate = gate
    if (gate.kind !== 'open') {
      this.#withdrawal.cancel()
      this.#withdrawal = new Cancellation()
    }
    void this.#work()
  }

  /**
   * Handles a late result. A modem that answered a question before it gave this result does not execute commands in
   * order, so it is asked no more questions.
   */
  handleLateResult(id: string): void {
    if (id === this.#givenUpEarly) this.#answersOutOfTurn = true
  }

  /**
   * Resolves when `afterResult` has ended. Rejects only with an error of an outcome listener, after `afterResult` has
   * ended.
   */
  submit(pdu: OutgoingPdu, options: SubmitOptions): Promise<Submitted> {
    return new Promise((resolve, reject) => {
      const start = async () => {
        try {
          const outcome = await this.#send(pdu, options)
          const listenersCalled = settled(() => this.#onOutcome(options.id, outcome))
          // Calls `afterResult` before the next message starts. Only the caller awaits it, so storing a result does not
          // delay the modem.
          const hookCalled = settled(() => options.afterResult?.(outcome)).then(
            () => outcome,
            (error) => ({ ...outcome, afterResultFailure: { error } }),
          )
          Promise.all([hookCalled, listenersCalled]).then(
            ([submitted]) => resolve(submitted),
            (error) => hookCalled.then(() => reject(error)),
          )
        } catch (error) {
          reject(error)
        }
      }
      this.#waiting.push({ start })
      void this.#work()
    })
  }

  get waiting(): number {
    return this.#waiting.length
  }

  async #work(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    try {
      while (this.#gate.kind !== 'held') {
        const next = this.#waiting.shift()
        if (next === undefined) break
        await next.start()
      }
    } finally {
      this.#busy = false
    }
  }

  async #send(pdu: OutgoingPdu, options: SubmitOptions): Promise<SubmitOutcome> {
    const withdrawal = this.#withdrawal
    if (this.#gate.kind === 'open' && (options.moreFollow || this.#waiting.length > 0)) {
      await this.#holdLinkOpen(this.#gate.traits, withdrawal)
    }
    if (this.#gate.kind !== 'open' || withdrawal.cancelled) return notReady
    const { traits } = this.#gate
    const cancellation = new Cancellation()
    let promptMs: number | undefined
    let promptAtMs: number | undefined
    let writtenAtMs = 0
    const stopListening = withdrawal.onCancelled(() => {
      // A sign of a restart after the prompt does not stop the submission: the prompt proves PDU mode, and the hook was
      // already called.
      if (promptMs === undefined) cancellation.cancel()
    })
    const outcome = await this.#dialogue.submit(
      {
        id: options.id,
        command: `AT+CMGS=${pdu.tpduLength}`,
        pdu: hexFromOctets(pdu.octets),
        beforePdu: options.beforePdu,
        asksEarly: this.#expectsQuickPrompt,
        onPrompt: (tookMs) => {
          promptMs = tookMs
          promptAtMs = this.#clock.nowMs()
        },
        onPdu: () => {
          writtenAtMs = this.#clock.nowMs()
          options.onPdu?.()
        },
        promptTimeoutMs: traits.promptTimeoutMs,
        resultTimeoutMs: traits.resultTimeoutMs,
        probe: this.#answersOutOfTurn ? undefined : this.#probeOf(traits),
        referenceInReport: (news) => this.#referenceInReport(options, news),
        nextReference: this.#references.next,
      },
      cancellation,
    )
    stopListening()
    this.#quickPromptAtMs = promptMs !== undefined && promptMs <= quickPromptMs ? promptAtMs : undefined
    this.#lastResultAtMs = this.#clock.nowMs()
    if (outcome.kind !== 'not-sent') {
      this.#references.add(outcome.kind === 'accepted' ? outcome.messageReference : undefined)
    }
    if (outcome.kind === 'accepted' || (outcome.kind === 'refused' && outcome.pduWritten)) {
      this.#times.add(this.#lastResultAtMs - writtenAtMs)
    }
    if (outcome.kind === 'unknown') {
      if (outcome.why === 'answer-lost') this.#givenUpEarly = options.id
      this.#mayAbort ||=
        outcome.why === 'no-reference' || (outcome.why === 'answer-lost' && outcome.error !== undefined)
    }
    return outcome.kind === 'not-sent' && outcome.why === 'cancelled' ? notReady : outcome
  }

  /**
   * A modem that has been idle for longer may have hung since its last prompt. An early record of the message would
   * then leave the message in doubt until the time limit of the prompt.
   */
  get #expectsQuickPrompt(): boolean {
    return this.#quickPromptAtMs !== undefined && this.#clock.nowMs() - this.#quickPromptAtMs <= recentPromptMs
  }

  /**
   * If a modem refused a question and its vendor is unknown, it may have aborted the submission. It is then asked again
   * only after a status report. The time before a question is shortened only while the next reference is predictable,
   * because `Doubt` needs this reference to recognise the late result of a slow modem.
   */
  #probeOf({ probe }: SubmitTraits): ProbeTraits {
    if (probe.earliestMs === 0) return probe
    if (this.#mayAbort) return { ...probe, afterOutputMs: undefined, overdueMs: undefined }
    const learns = this.#references.next !== undefined
    const atMost = (ms: number, learnedMs: number | undefined) => (learns ? Math.min(ms, learnedMs ?? ms) : ms)
    return {
      ...probe,
      earliestMs: probe.learnsEarliest ? atMost(probe.earliestMs, this.#times.patienceMs) : probe.earliestMs,
      overdueMs: probe.overdueMs && atMost(probe.overdueMs, this.#times.overdueMs),
    }
  }

  #referenceInReport({ isItsReport }: SubmitOptions, { prefix, payload }: Unsolicited): number | undefined {
    if (isItsReport === undefined || prefix !== '+CDS' || payload === undefined) return undefined
    const incoming = readIncoming({ kind: 'direct', acknowledge: false }, payload.replaceAll(/\s/g, ''))
    if (incoming?.kind !== 'status-report') return undefined
    const { report } = incoming
    // Ignores a reference that was used recently, because it belongs to another message.
    return !this.#references.has(report.messageReference) && isItsReport(report) ? report.messageReference : undefined
  }

  /** Asks the modem to keep the link open. The modem closes the link itself after a pause. */
  async #holdLinkOpen(traits: SubmitTraits, withdrawal: Cancellation): Promise<void> {
    if (this.#linkRefused) return
    if (this.#linkHeld && this.#clock.nowMs() - this.#lastResultAtMs < traits.linkOpenMs) return
    const answer = await runQuery(this.#dialogue, keepLinkOpen, withdrawal)
    this.#linkHeld = answer.kind === 'value'
    this.#linkRefused = answer.kind === 'refused'
  }
}

const notReady: SubmitOutcome = { kind: 'not-sent', why: 'not-ready' }

/** About the time that a write to the journal takes. */
const quickPromptMs = 4
const recentPromptMs = 60_000

type SubmitGate = { readonly kind: 'closed' } | { readonly kind: 'held' | 'open'; readonly traits: SubmitTraits }

async function settled(work: () => void | Promise<void> | undefined): Promise<void> {
  await work()
}

/** The last TP-MR values that the modem assigned. */
class RecentReferences {
  readonly #given: number[] = []
  #next: number | undefined

  /** The modem's current counter, if it is known. */
  get next(): number | undefined {
    return this.#next
  }

  has(reference: number): boolean {
    return this.#given.includes(reference)
  }

  /** @param reference undefined if it is unknown whether the modem used a reference, or which reference it used */
  add(reference: number | undefined): void {
    const last = this.#given.at(-1)
    this.#next = undefined
    if (reference === undefined) return
    if (last !== undefined && reference === (last + 1) % 256) this.#next = (reference + 1) % 256
    this.#given.push(reference)
    if (this.#given.length > mostReferences) this.#given.shift()
  }
}

// The number of recent references. References repeat after 256 messages.
const mostReferences = 128

/** How long the last submissions took from Ctrl-Z to the result. */
class SubmissionTimes {
  readonly #times: number[] = []

  /** After this time a result is overdue. Undefined until enough results are known. */
  get patienceMs(): number | undefined {
    return this.#longestMs === undefined ? undefined : Math.max(shortestPatienceMs, 2 * this.#longestMs)
  }

  /** Like `patienceMs`, for a modem that answers on its second port. */
  get overdueMs(): number | undefined {
    return this.#longestMs === undefined ? undefined : Math.max(leastOverdueMs, 1.25 * this.#longestMs)
  }

  get #longestMs(): number | undefined {
    return this.#times.length < fewestTimes ? undefined : Math.max(...this.#times)
  }

  add(ms: number): void {
    this.#times.push(ms)
    if (this.#times.length > mostTimes) this.#times.shift()
  }
}

const fewestTimes = 10
const mostTimes = 100
/** The shortest patience. If output arrives directly after Ctrl-Z, the next message can start within 5 s. */
const shortestPatienceMs = 4_500
/** The shortest time before a question to a modem that answers on its second port. */
const leastOverdueMs = 4_000
