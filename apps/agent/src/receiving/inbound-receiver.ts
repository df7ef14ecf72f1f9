// Inbound path, step 3: joins parts, decodes the text. Next: journal.ts.

import { crashPoint } from '@smsgw/daemon/crash-point'
import type { Clock, Timer } from '@smsgw/modem/clock'
import type { Incoming } from '@smsgw/modem/receive/incoming-message'
import type { StatusReport } from '@smsgw/sms/tpdu/status-report'
import type { Change, Slot, Stamp } from '../journal/change.ts'
import { type Journal, sharedCommitWaitMs } from '../journal/journal.ts'
import { type Keep, keepWriting, type WriteWatch } from '../journal/keep-writing.ts'
import type { InboundRecord } from '../journal/read.ts'
import type { TrustedTime } from '../time/trusted-time.ts'
import type { InboxKey } from './encrypted-event.ts'
import { forgotten, InboundOutcomes, reportIn, settled } from './inbound-outcomes.ts'
import { firstIdOf, identifyPdu } from './pdu-identity.ts'
import { type ReceivingSim, SlotCleaner } from './slot-cleaner.ts'

export interface InboundReceiverOptions {
  readonly journal: Journal
  readonly clock: Clock
  readonly time: TrustedTime
  /** The key of the account, with which received messages are encrypted. */
  readonly inboxKey?: () => InboxKey | undefined
  /**
   * If the report is certainly about a message that was just sent, writes the report and the change `received`
   * together. Returns undefined for any other report.
   */
  readonly onRecentReport: (iccid: string, report: StatusReport, received: () => Change) => Promise<void> | undefined
  /** Returns false if the report does not match a sent part yet. */
  readonly onReport: (iccid: string, report: StatusReport) => Promise<boolean>
  /** Called when a write fails, and when all failed writes have succeeded. Failed writes are kept and retried. */
  readonly journalWatch: WriteWatch
  /** Called for an internal error, which does not affect other messages. */
  readonly onProblem: (error: unknown) => void
}

/**
 * Processes every received PDU once: read → written to the journal → deleted from the SIM → reported to the relay.
 *
 * Event and PDU are written together, so that neither exists without the other. While the clock cannot be trusted, PDUs
 * are only stored. These PDUs are dated and reported later.
 */
export class InboundReceiver {
  readonly #options: InboundReceiverOptions
  readonly #keep: Keep
  readonly #outcomes: InboundOutcomes
  readonly #cleaner: SlotCleaner
  readonly #unmatched = new UnmatchedReports()
  /**
   * References that became known and were not yet compared with the waiting reports. `any` is added if the reference of
   * a part will never be known.
   */
  readonly #newReferences = new Set<number | 'any'>()
  /** PDUs that were read but are not in the journal yet, by slot and content. */
  readonly #pending = new Map<string, Promise<void>>()
  #turn: Promise<unknown> = Promise.resolve()
  #turnsWaiting = 0
  #timer: Timer | undefined

  constructor(options: InboundReceiverOptions) {
    const { journal, clock, time, onProblem: onError, inboxKey = () => undefined } = options
    this.#options = options
    this.#keep = keepWriting(journal, clock, options.journalWatch)
    this.#outcomes = new InboundOutcomes({ time, onError, inboxKey })
    this.#cleaner = new SlotCleaner(clock, this.#keep, onError)
  }

  /** Loads the messages that earlier processes received. Must be called first. */
  async restore(): Promise<void> {
    const { journal, time, clock, onProblem } = this.#options
    const records = await journal.read('inbound', { sinceMs: time.now().wallMs - rememberedMs })
    const changes = this.#outcomes.restore(records, await journal.read('notes', {}))
    if (changes.length > 0) this.#keep(changes).catch(onProblem)
    // The start does not wait for this task, because with a full disk the task waits until disk space is available.
    this.settleWaiting().catch(onProblem)
    this.#timer = clock.after(tickMs, () => this.#tick())
  }

  simReady(sim: ReceivingSim): void {
    this.#cleaner.simReady(sim)
  }

  simGone(sim: ReceivingSim): void {
    this.#cleaner.simGone(sim)
  }

  /**
   * Resolves when the PDU is on disk. PDUs are processed one after the other, because each PDU may affect the next PDU.
   * `ageMs`: how long ago the PDU arrived.
   */
  async take(sim: ReceivingSim, incoming: Incoming, ageMs = 0): Promise<void> {
    const now = this.#options.time.stamp()
    const at = { ...now, wallMs: now.wallMs - ageMs, monotonicMs: now.monotonicMs - ageMs }
    if (incoming.kind === 'status-report' && incoming.source.kind === 'direct') {
      // The report may arrive together with the modem's answer for the same message. Waits here, so that the answer is
      // processed before the report.
      await new Promise((resolve) => setImmediate(resolve))
      const recent = this.#takeRecentReport(sim, incoming, at)
      if (recent !== undefined) return recent
    }
    const slot = slotOf(incoming)
    const name = JSON.stringify([sim.iccid, slot, incoming.pdu])
    const pending = slot === undefined ? undefined : this.#pending.get(name)
    // The PDU was read again before its first copy was on disk. The disk may be slow, or full for days.
    if (pending !== undefined) return pending
    const taken = this.#inTurn(() => this.#take(sim, incoming, at)).finally(() => this.#pending.delete(name))
    if (slot !== undefined) this.#pending.set(name, taken)
    return taken
  }

  /** Processes PDUs that waited for a trusted clock, and tries again to find the messages of unmatched reports. */
  settleWaiting(): Promise<void> {
    return this.#inTurn(() => this.#settleWaiting())
  }

  /**
   * Called when the reference of a part becomes known, or when it is certain that the reference stays unknown. Reports
   * that arrived earlier may match now.
   */
  tryReports(reference: number | undefined): void {
    const isScheduled = this.#newReferences.size > 0
    this.#newReferences.add(reference ?? 'any')
    if (isScheduled) return
    this.#inTurn(async () => {
      const matching = this.#unmatched.matching(this.#newReferences)
      this.#newReferences.clear()
      for (const { row, report } of matching) await this.#report(row, report)
    }).catch(this.#options.onProblem)
  }

  stop(): void {
    this.#timer?.cancel()
    this.#cleaner.stop()
  }

  async #take(sim: ReceivingSim, incoming: Incoming, at: Stamp): Promise<void> {
    crashPoint('inbound-read')
    const { journal } = this.#options
    const slot = slotOf(incoming)
    if (slot && this.#cleaner.wasDeletedSince(sim.iccid, slot, incoming.pdu, at.monotonicMs)) return
    if (await this.#takeShort(sim, incoming, at)) return
    const identity = await identifyPdu(journal, { iccid: sim.iccid, pdu: incoming.pdu, slot, at })
    if (identity.kind === 'new') await this.#takeNew(sim, incoming, identity.pduId, at)
    // Deletes the copy at once: it has the same octets as the original, so the order of the deletions does not matter.
    else this.#cleaner.clear(sim, identity.pduId, incoming, identity.kind === 'copy')
  }

  /**
   * Writes a short message without asking first whether it is known: the transaction that writes it also answers that,
   * so an idle agent waits for the journal once. Returns false if nothing was written.
   */
  async #takeShort(sim: ReceivingSim, incoming: Incoming, at: Stamp): Promise<boolean> {
    const pduId = firstIdOf(sim.iccid, incoming.pdu)
    const row = newRow(sim, incoming, pduId, at)
    const result = this.#outcomes.ofShort(row)
    if (result === undefined) return false
    const { wasReceived } = await this.#keep([received(row), ...result], { unlessReceived: pduId })
    if (wasReceived === true) return false
    crashPoint('inbound-journaled')
    this.#cleaner.clear(sim, pduId, incoming, false)
    return true
  }

  async #takeNew(sim: ReceivingSim, incoming: Incoming, pduId: string, at: Stamp): Promise<void> {
    const row = newRow(sim, incoming, pduId, at)
    await this.#keep([received(row), ...this.#outcomes.of(row)])
    crashPoint('inbound-journaled')
    this.#cleaner.clear(sim, pduId, incoming, false)
    if (incoming.kind === 'status-report') await this.#report(row, incoming.report)
  }

  /**
   * A report about a message that was just sent is not compared with the received PDUs, and does not wait for its turn:
   * it is the first report of its message and affects no other PDU. Returns undefined for any other PDU.
   */
  #takeRecentReport(
    sim: ReceivingSim,
    incoming: Extract<Incoming, { readonly kind: 'status-report' }>,
    at: Stamp,
  ): Promise<void> | undefined {
    const pduId = firstIdOf(sim.iccid, incoming.pdu)
    const written = this.#options.onRecentReport(sim.iccid, incoming.report, () => {
      crashPoint('inbound-read')
      return { ...received(newRow(sim, { ...incoming, pdu: '' }, pduId, at)), settled: 'report' }
    })
    return written?.then(
      () => {
        crashPoint('inbound-journaled')
        this.#cleaner.clear(sim, pduId, incoming, false)
      },
      // The journal refused the consequences of the report, so the report is stored without them.
      () => this.#inTurn(() => this.#take(sim, incoming, at)),
    )
  }

  async #settleWaiting(): Promise<void> {
    const waiting = await this.#options.journal.read('inbound-waiting', {})
    for (const row of waiting) {
      const report = reportIn(row.pdu)
      if (report !== undefined) await this.#report(row, report)
      else if (row.settled === undefined) await this.#keep(this.#outcomes.of(row))
    }
  }

  /** Runs tasks one after the other. A failed task does not affect later tasks. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turnsWaiting += 1
    const done = this.#turn.then(work).finally(() => {
      this.#turnsWaiting -= 1
      if (this.#turnsWaiting === 0) this.#cleaner.forgetDeleted()
    })
    this.#turn = done.catch(() => undefined)
    return done
  }

  async #report(row: InboundRecord, report: StatusReport): Promise<void> {
    try {
      this.#unmatched.add({ row, report })
      const isMatched = await this.#options.onReport(row.iccid, report)
      const as = isMatched ? 'report' : 'unmatched'
      if (row.settled !== as) {
        const changes = [settled(row, as, this.#outcomes.dateOf(row)), ...(isMatched ? [forgotten(row)] : [])]
        const written = this.#keep(changes, { mayWaitMs: isMatched ? sharedCommitWaitMs : 0 })
        // The message already has this report, so this write may wait for the commit of a later write. If the process
        // ends before that, the report is matched again, which changes nothing.
        if (isMatched) written.catch(this.#options.onProblem)
        else await written
      }
      if (isMatched) this.#unmatched.remove(row)
      else this.#unmatched.add({ row: { ...row, settled: as }, report })
    } catch (error) {
      // Continues, because the report is in the journal and will be retried.
      this.#options.onProblem(error)
    }
  }

  #tick(): void {
    this.#timer = this.#options.clock.after(tickMs, () => this.#tick())
    const { wallMs, trusted } = this.#options.time.now()
    if (trusted) this.#inTurn(() => this.#release(wallMs)).catch(this.#options.onProblem)
  }

  async #release(wallMs: number): Promise<void> {
    const rowOf = (pduId: string) => this.#options.journal.read('inbound-by-id', { pduId })
    const changes = await this.#outcomes.release(wallMs, rowOf)
    if (changes.length > 0) await this.#keep(changes)
  }
}

interface UnmatchedReport {
  readonly row: InboundRecord
  readonly report: StatusReport
}

/** Status reports without a match. If there are too many, the oldest reports are kept only in the journal. */
class UnmatchedReports {
  readonly #reports = new Map<string, UnmatchedReport>()

  add(waiting: UnmatchedReport): void {
    this.#reports.set(waiting.row.pduId, waiting)
    const [oldest] = this.#reports.keys()
    if (this.#reports.size > mostUnmatched && oldest !== undefined) this.#reports.delete(oldest)
  }

  remove({ pduId }: InboundRecord): void {
    this.#reports.delete(pduId)
  }

  /**
   * Returns the reports with one of these references. `any` returns all reports, because each of them may be about a
   * part whose reference is unknown.
   */
  matching(references: ReadonlySet<number | 'any'>): readonly UnmatchedReport[] {
    const all = [...this.#reports.values()]
    if (references.has('any')) return all
    return all.filter(({ report }) => references.has(report.messageReference))
  }
}

function newRow({ iccid, simNumber, phoneNumber }: ReceivingSim, incoming: Incoming, pduId: string, at: Stamp) {
  const row: InboundRecord = {
    ...{ pduId, iccid, simNumber, pdu: incoming.pdu },
    received: at,
    receivedMs: at.wallMs,
    slot: slotOf(incoming),
    settled: undefined,
    detail: phoneNumber === undefined ? undefined : { recipient: phoneNumber },
  }
  return row
}

function received(row: InboundRecord): Extract<Change, { readonly kind: 'inbound-received' }> {
  const { pduId, iccid, simNumber, pdu, received: at, slot, detail } = row
  return {
    kind: 'inbound-received',
    pduId,
    iccid,
    simNumber,
    pdu,
    at,
    ...(slot !== undefined && { slot }),
    ...(detail !== undefined && { detail }),
  }
}

function slotOf({ source }: Incoming): Slot | undefined {
  return source.kind === 'stored' ? { memory: source.memory, index: source.index } : undefined
}

const mostUnmatched = 10_000
const tickMs = 30_000
const rememberedMs = 8 * 24 * 60 * 60_000
