import type { LedgerEntry } from '@smsgw/virtual-modem/network/ledger'
import type { Clock } from '../src/clock.ts'
import type { ModemEvent } from '../src/modem-event.ts'
import type { DriverSchedule } from './schedule.ts'

/**
 * Measures how long it takes until driver and modem are in step again, after a submission whose outcome is unknown. The
 * measurement starts with the modem's first output after the submission. A generic modem may abort a submission when it
 * gets a command, so the driver waits for the status report, or until 45 s after the PDU. For such a modem, the
 * measurement starts after this wait. The class also counts writes that could have disturbed a modem that was still
 * sending.
 *
 * The states, in order: no PDU is being sent; a PDU is being sent; the modem has finished and sent some output; the
 * outcome is unknown; driver and modem are in step.
 */
export class RecoveryWatch {
  readonly recoveriesMs: number[] = []
  /**
   * The number of writes to a modem that was still sending a message, before the driver could know that the network had
   * that message.
   */
  disturbed = 0
  askedWhileSending = 0
  readonly #clock: Clock
  readonly #mayAbort: boolean
  /** True if the modem also answers on a second port. In this case, the driver checks the modem earlier. */
  readonly #hasSecondPort: boolean
  readonly #ledger: readonly LedgerEntry[]
  /** The message that is being sent: its index in the ledger. */
  #place = 0
  #pduAtMs: number | undefined
  #signAtMs: number | undefined
  #reported = false
  /**
   * True after the modem answered a question first, and then sent the late result of an earlier submission. From then
   * on, the driver sends no questions and waits for each result, see `Submitter`.
   */
  #waitsForResults = false
  /**
   * True after a question to a generic modem may have aborted a submission. From then on, the driver sends a question
   * only if a status report has arrived, see `Submitter`.
   */
  #waitsForReports = false
  #answerLost: string | undefined
  /** How long each accepted message took. */
  readonly #tookMs: number[] = []
  #state: 'idle' | 'out' | 'unknown' = 'idle'

  constructor(
    clock: Clock,
    ledger: readonly LedgerEntry[],
    { personality, secondPort }: Pick<DriverSchedule, 'personality' | 'secondPort'>,
  ) {
    this.#clock = clock
    this.#ledger = ledger
    this.#mayAbort = personality === 'generic'
    this.#hasSecondPort = secondPort !== 'none'
  }

  get isPending(): boolean {
    return this.#state === 'unknown'
  }

  /** Must be called after bytes have arrived at the modem. */
  wrote(bytes: Uint8Array, isSending: boolean): void {
    if (bytes.at(-1) === controlZ) {
      this.#state = 'out'
      this.#pduAtMs = this.#clock.nowMs()
      this.#signAtMs = undefined
      this.#reported = false
      this.#place = this.#ledger.length
    } else if (isSending && this.#state === 'out') {
      this.askedWhileSending += 1
      if (this.#mayAbort && !this.#reported && this.#waitedMs < this.#shortestWaitMs) this.disturbed += 1
    }
  }

  get #waitedMs(): number {
    return this.#clock.nowMs() - (this.#pduAtMs ?? 0)
  }

  /** A little less than the time that the driver has to wait, because bytes need some time to reach the modem. */
  get #shortestWaitMs(): number {
    if (this.#tookMs.length < 10) return overdueMs - 1_000
    const longestMs = Math.max(...this.#tookMs)
    const learnedMs = this.#hasSecondPort
      ? Math.max(3_400, 1.25 * longestMs - 600)
      : Math.max(4_400, 2 * longestMs - 1_000)
    return Math.min(overdueMs - 1_000, learnedMs)
  }

  /** Must be called after the modem has sent bytes to the driver. */
  said(bytes: Uint8Array, isSending: boolean): void {
    if (!bytes.includes(lineFeed) || this.#waitsForReports) return
    this.#sign(isSending, this.#mayAbort ? Math.max(0, overdueMs - this.#waitedMs) : 0)
  }

  heard(event: ModemEvent, isSending: boolean): void {
    if (event.kind === 'incoming' && event.incoming.kind === 'status-report') {
      this.#reported = true
      const isIts = event.incoming.report.messageReference === this.#ledger[this.#place]?.messageReference
      if (isIts) this.#sign(isSending)
    } else if (event.kind === 'submitted') {
      if (event.outcome.kind === 'accepted') this.#tookMs.push(this.#waitedMs)
      if (event.outcome.kind === 'unknown') {
        const { why, error } = event.outcome
        if (why === 'answer-lost') this.#answerLost = event.id
        this.#waitsForReports ||=
          this.#mayAbort && (why === 'no-reference' || (why === 'answer-lost' && error !== undefined))
      }
      const isMeasured = event.outcome.kind === 'unknown' && this.#signAtMs !== undefined && !this.#waitsForResults
      this.#state = isMeasured ? 'unknown' : 'idle'
    } else if (event.kind === 'late-result') {
      this.#waitsForResults ||= event.id === this.#answerLost
    } else if (event.kind === 'dialogue' && event.state === 'in-step' && this.#state === 'unknown') {
      this.recoveriesMs.push(this.#clock.nowMs() - (this.#signAtMs ?? 0))
      this.#state = 'idle'
    }
  }

  #sign(isSending: boolean, afterMs = 0): void {
    if (this.#state !== 'out' || isSending) return
    this.#signAtMs = Math.min(this.#signAtMs ?? Number.POSITIVE_INFINITY, this.#clock.nowMs() + afterMs)
  }
}

const controlZ = 0x1a
const lineFeed = 0x0a
const overdueMs = 45_000
