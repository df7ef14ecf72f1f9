import { hexFromOctets } from '@smsgw/sms/octets'
import type { AskBeforePdu } from './before-pdu.ts'
import { Cancellation } from './cancellation.ts'
import type { Clock } from './clock.ts'
import { keepLinkOpen } from './commands/message-settings.ts'
import { ask } from './commands/query.ts'
import type { Dialogue } from './dialogue.ts'
import type { SubmitTraits } from './profiles/profile.ts'
import type { SubmissionNotSent, SubmissionOutcome } from './submission.ts'

/** A message as `encodeForModem` gives it. */
export interface OutgoingPdu {
  /** Service centre address and TPDU. */
  readonly octets: Uint8Array
  /** Octets of the TPDU alone. */
  readonly tpduLength: number
}

export interface SubmitOptions {
  /** The caller's name for it: a late result comes back under it. */
  readonly id: string
  /**
   * Asked when the modem waits for the PDU and not a byte of it has been written: the place to write down that it is
   * about to be sent. While it takes its time the modem waits; too long (5 s) and the message is not sent.
   *
   * Such an end withdraws the question and is told when the hook is through, so that what it wrote down stands before
   * the outcome. A hook that takes another 5 s is waited for no longer: let it look at `withdrawal.cancelled` last of
   * all, and let the journal keep both notes under the attempt, not the message, so that their order does not matter.
   */
  readonly beforePdu: AskBeforePdu
  /** Told as soon as the outcome is known, before the next message begins. What it throws changes no outcome. */
  readonly afterResult?: (outcome: SubmitOutcome) => void | Promise<void>
  /** Another message follows at once: the link may be held open for it. */
  readonly moreFollow?: boolean
}

/** `not-ready`: the modem is not set up, or has just restarted. Provably unsent, like all that is `not-sent`. */
export type SubmitOutcome =
  | Exclude<SubmissionOutcome, { kind: 'not-sent' }>
  | { readonly kind: 'not-sent'; readonly why: SubmissionNotSent | 'not-ready' }

/** `afterResultFailure`: what `afterResult` threw. The outcome is what it is, and who writes it down knows to do it again. */
export type Submitted = SubmitOutcome & { readonly afterResultFailure?: { readonly error: unknown } }

/**
 * Hands messages to the modem, one after the other, in the order they were given: one command for each. In a burst the
 * modem is told once to hold the link open, where its profile allows it.
 *
 * Nothing is handed over between a sign that the modem has restarted and the end of setting it up again: it may be in
 * text mode by then, where `AT+CMGS=24` means the subscriber 24.
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

  constructor(options: {
    readonly dialogue: Pick<Dialogue, 'submit' | 'execute'>
    readonly clock: Clock
    readonly onOutcome: (id: string, outcome: SubmitOutcome) => void
  }) {
    this.#dialogue = options.dialogue
    this.#clock = options.clock
    this.#onOutcome = options.onOutcome
  }

  /** The modem is set up. */
  open(traits: SubmitTraits): void {
    this.#withdrawal = new Cancellation()
    this.#linkHeld = false
    this.#linkRefused = !traits.keepLinkOpen
    this.#setGate({ kind: 'open', traits })
  }

  /** What is given meanwhile waits. */
  hold(held: boolean): void {
    if (this.#gate.kind === 'closed') return
    this.#setGate({ kind: held ? 'held' : 'open', traits: this.#gate.traits })
  }

  /** What waits ends unsent, and so does what is given from now on. */
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

  /** Resolves when `afterResult` has. Rejects only with what a listener to the outcome threw, after `afterResult` too. */
  submit(pdu: OutgoingPdu, options: SubmitOptions): Promise<Submitted> {
    return new Promise((resolve, reject) => {
      const start = async () => {
        try {
          const outcome = await this.#send(pdu, options)
          const heard = settled(() => this.#onOutcome(options.id, outcome))
          // Called before the next one starts, waited for by who asked: writing down a result holds up no modem.
          const told = settled(() => options.afterResult?.(outcome)).then(
            () => outcome,
            (error) => ({ ...outcome, afterResultFailure: { error } }),
          )
          Promise.all([told, heard]).then(
            ([submitted]) => resolve(submitted),
            (error) => told.then(() => reject(error)),
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
    let promptSeen = false
    const stopListening = withdrawal.onCancelled(() => {
      // A prompt that is there proves PDU mode, and the hook has been asked: from here it runs its course.
      if (!promptSeen) cancellation.cancel()
    })
    const outcome = await this.#dialogue.submit(
      {
        id: options.id,
        command: `AT+CMGS=${pdu.tpduLength}`,
        pdu: hexFromOctets(pdu.octets),
        beforePdu: (withdrawal) => {
          promptSeen = true
          return options.beforePdu(withdrawal)
        },
        promptTimeoutMs: traits.promptTimeoutMs,
        resultTimeoutMs: traits.resultTimeoutMs,
      },
      cancellation,
    )
    stopListening()
    this.#lastResultAtMs = this.#clock.nowMs()
    return outcome.kind === 'not-sent' && outcome.why === 'cancelled' ? notReady : outcome
  }

  /** The modem closes the link by itself when nothing follows a result for so long. */
  async #holdLinkOpen(traits: SubmitTraits, withdrawal: Cancellation): Promise<void> {
    if (this.#linkRefused) return
    if (this.#linkHeld && this.#clock.nowMs() - this.#lastResultAtMs < traits.linkOpenMs) return
    const answer = await ask(this.#dialogue, keepLinkOpen, withdrawal)
    this.#linkHeld = answer.kind === 'value'
    this.#linkRefused = answer.kind === 'refused'
  }
}

const notReady: SubmitOutcome = { kind: 'not-sent', why: 'not-ready' }

type SubmitGate = { readonly kind: 'closed' } | { readonly kind: 'held' | 'open'; readonly traits: SubmitTraits }

async function settled(work: () => void | Promise<void> | undefined): Promise<void> {
  await work()
}
