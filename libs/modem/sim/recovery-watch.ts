import type { LedgerEntry } from '@smsgw/virtual-modem/network/ledger'
import type { Clock } from '../src/clock.ts'
import type { ModemEvent } from '../src/modem-event.ts'

/**
 * Measures how long the driver takes to write commands again after the modem has finished a submission without giving
 * its result. The time starts with the modem's first output after the submission. Also counts writes that could have
 * disturbed a modem that was still sending.
 *
 * no PDU is out → a PDU is out → the modem has finished and sent some output → the outcome is unknown → in step
 */
export class RecoveryWatch {
  readonly recoveriesMs: number[] = []
  /**
   * The number of writes to a modem that was still sending a message, at a time when the driver could not yet know that
   * the network had that message.
   */
  disturbed = 0
  askedWhileSending = 0
  readonly #clock: Clock
  readonly #signs: 'its report' | 'anything'
  readonly #ledger: readonly LedgerEntry[]
  /** The index of the current message in the ledger. */
  #place = 0
  #pduAtMs: number | undefined
  #signAtMs: number | undefined
  #reported = false
  /**
   * Set when a late result arrives although the modem has already answered a question. From then on the driver waits
   * for each result, see `Submitter`.
   */
  #waitsForResults = false
  #answerLost: string | undefined
  #state: 'idle' | 'out' | 'unknown' = 'idle'

  constructor(clock: Clock, ledger: readonly LedgerEntry[], personality: string) {
    this.#clock = clock
    this.#ledger = ledger
    // A generic modem may write other output while it is still sending the message, so only the report is a sign.
    this.#signs = personality === 'generic' ? 'its report' : 'anything'
  }

  get isPending(): boolean {
    return this.#state === 'unknown'
  }

  /** Must be called when bytes have arrived at the modem. */
  wrote(bytes: Uint8Array, isSending: boolean): void {
    if (bytes.at(-1) === controlZ) {
      this.#state = 'out'
      this.#pduAtMs = this.#clock.nowMs()
      this.#signAtMs = undefined
      this.#reported = false
      this.#place = this.#ledger.length
    } else if (isSending && this.#state === 'out') {
      this.askedWhileSending += 1
      const waitedMs = this.#clock.nowMs() - (this.#pduAtMs ?? 0)
      if (this.#signs === 'its report' && !this.#reported && waitedMs < shortestWaitMs) this.disturbed += 1
    }
  }

  /** Must be called when bytes have left the modem. */
  said(bytes: Uint8Array, isSending: boolean): void {
    if (this.#signs === 'anything' && bytes.includes(lineFeed)) this.#sign(isSending)
  }

  heard(event: ModemEvent, isSending: boolean): void {
    if (event.kind === 'incoming' && event.incoming.kind === 'status-report') {
      this.#reported = true
      const isIts = event.incoming.report.messageReference === this.#ledger[this.#place]?.messageReference
      if (this.#signs === 'its report' && isIts) this.#sign(isSending)
    } else if (event.kind === 'submitted') {
      if (event.outcome.kind === 'unknown' && event.outcome.why === 'answer-lost') this.#answerLost = event.id
      const isMeasured = event.outcome.kind === 'unknown' && this.#signAtMs !== undefined && !this.#waitsForResults
      this.#state = isMeasured ? 'unknown' : 'idle'
    } else if (event.kind === 'late-result') {
      this.#waitsForResults ||= event.id === this.#answerLost
    } else if (event.kind === 'dialogue' && event.state === 'in-step' && this.#state === 'unknown') {
      this.recoveriesMs.push(this.#clock.nowMs() - (this.#signAtMs ?? 0))
      this.#state = 'idle'
    }
  }

  #sign(isSending: boolean): void {
    if (this.#state === 'out' && !isSending) this.#signAtMs ??= this.#clock.nowMs()
  }
}

const controlZ = 0x1a
const lineFeed = 0x0a
const shortestWaitMs = 119_000
