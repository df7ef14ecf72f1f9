import type { Clock, Timer } from '@smsgw/modem/clock'
import type { Incoming } from '@smsgw/modem/incoming-message'
import { decodeDataCodingScheme } from '@smsgw/sms/data-coding-scheme'
import type { Deliver } from '@smsgw/sms/deliver'
import { octetsFromHex } from '@smsgw/sms/octets'
import { decodeProtocolIdentifier } from '@smsgw/sms/protocol-identifier'
import type { ReassemblyEffect, ReassemblyLimits } from '@smsgw/sms/reassemble'
import type { StatusReport } from '@smsgw/sms/status-report'
import { decodeIncoming } from '@smsgw/sms/tpdu'
import { textOfUserData } from '@smsgw/sms/user-data'
import { crashPoint } from '../crash-point.ts'
import type { Change, Slot, Stamp } from '../journal/change.ts'
import type { Journal, JournalError } from '../journal/journal.ts'
import { type Keep, keepWriting } from '../journal/keep-writing.ts'
import type { InboundRecord } from '../journal/read.ts'
import { datedMs } from '../time/dated.ts'
import type { TrustedTime } from '../time/trusted-time.ts'
import { Clearing } from './clearing.ts'
import { type Content, contentEvent } from './content-event.ts'
import { derivedId } from './derived-id.ts'
import { LongMessages, senderOf } from './long-messages.ts'
import { identify } from './pdu-identity.ts'
import { receivedMs } from './received-time.ts'
import type { ReceivingSim } from './receiving-sim.ts'
import { UnmatchedReports } from './unmatched-reports.ts'

/**
 * Everything that comes in: read → journaled, on disk → only then deleted from the SIM → told to the relay, once.
 *
 * What a PDU comes to is written together with it, so that there is no moment in which it is known and not told, or told
 * and not known. While nothing vouches for the clock it is only kept, and dated and told later.
 */
export class Receiver {
  readonly #options: ReceiverOptions
  readonly #keep: Keep
  readonly #long: LongMessages
  readonly #clearing: Clearing
  readonly #mmsKnown = new Set<string>()
  readonly #unmatched = new UnmatchedReports()
  readonly #referencesKnown = new Set<number | 'any'>()
  /** Read and not journaled yet, by slot and content. */
  readonly #pending = new Map<string, Promise<void>>()
  #turn: Promise<unknown> = Promise.resolve()
  #turnsWaiting = 0
  /** Released, and not told yet. */
  #released: readonly ReassemblyEffect[] = []
  #timer: Timer | undefined

  constructor(options: ReceiverOptions) {
    this.#options = options
    this.#keep = keepWriting(options.journal, options.clock, options.onJournalTrouble)
    this.#long = new LongMessages(options.reassembly)
    this.#clearing = new Clearing(options.clock, this.#keep, options.onTrouble)
  }

  /** What is known from earlier. Before anything comes in. */
  async restore(): Promise<void> {
    const { journal, time, clock } = this.#options
    const records = await journal.read('inbound', { sinceMs: time.now().wallMs - rememberedMs })
    const notes = await journal.read('notes', {})
    this.#long.restore(records, notes)
    for (const { detail } of records) {
      const mms = (detail as { mms?: string } | undefined)?.mms
      if (mms !== undefined) this.#rememberMms(mms)
    }
    // With a full disk it takes until there is room: nothing else waits for that.
    this.settleWaiting().catch(this.#options.onTrouble)
    this.#timer = clock.after(tickMs, () => this.#tick())
  }

  simReady(sim: ReceivingSim): void {
    this.#clearing.simReady(sim)
  }

  simGone(sim: ReceivingSim): void {
    this.#clearing.simGone(sim)
  }

  /** Resolves when it is safe. One after the other: what is known decides what the next one is. */
  take(sim: ReceivingSim, incoming: Incoming): Promise<void> {
    const at = this.#options.time.stamp()
    const slot = slotOf(incoming)
    const name = JSON.stringify([sim.iccid, slot, incoming.pdu])
    const pending = slot === undefined ? undefined : this.#pending.get(name)
    // Found again while the disk is slow, or full for days.
    if (pending !== undefined) return pending
    const taken = this.#inTurn(() => this.#take(sim, incoming, at)).finally(() => this.#pending.delete(name))
    if (slot !== undefined) this.#pending.set(name, taken)
    return taken
  }

  /** What waits for a trustworthy clock, and all reports that fitted nothing. */
  settleWaiting(): Promise<void> {
    return this.#inTurn(() => this.#settleWaiting())
  }

  /** A part got its reference, or has none for good: a report that came too early may fit now. */
  tryReports(reference: number | undefined): void {
    const isAsked = this.#referencesKnown.size > 0
    this.#referencesKnown.add(reference ?? 'any')
    if (isAsked) return
    this.#inTurn(async () => {
      const fitting = this.#unmatched.fitting(this.#referencesKnown)
      this.#referencesKnown.clear()
      for (const { row, report } of fitting) await this.#report(row, report)
    }).catch(this.#options.onTrouble)
  }

  stop(): void {
    this.#timer?.cancel()
    this.#clearing.stop()
  }

  async #take(sim: ReceivingSim, incoming: Incoming, at: Stamp): Promise<void> {
    crashPoint('inbound-read')
    const { journal } = this.#options
    const slot = slotOf(incoming)
    const wasRead = slot && this.#clearing.wasDeletedSince(sim.iccid, slot, incoming.pdu, at.monotonicMs)
    if (wasRead) return
    const identity = await identify(journal, { iccid: sim.iccid, pdu: incoming.pdu, slot, at })
    if (identity.kind === 'new') {
      const row: InboundRecord = {
        pduId: identity.pduId,
        iccid: sim.iccid,
        simNumber: sim.simNumber,
        pdu: incoming.pdu,
        received: at,
        receivedMs: at.wallMs,
        slot,
        settled: undefined,
        detail: sim.phoneNumber === undefined ? undefined : { recipient: sim.phoneNumber },
      }
      await this.#keep([received(row), ...this.#outcomeOf(row)])
      crashPoint('inbound-journaled')
      if (incoming.kind === 'status-report') await this.#report(row, incoming.report)
    }
    // A copy is known by its octets; which of the two is deleted first is all the same.
    this.#clearing.clear(sim, identity.pduId, incoming, identity.kind === 'copy')
  }

  async #settleWaiting(): Promise<void> {
    const { journal } = this.#options
    const waiting = await journal.read('inbound-waiting', {})
    for (const row of waiting) {
      const report = reportIn(row.pdu)
      if (report !== undefined) await this.#report(row, report)
      else if (row.settled === undefined) await this.#keep(this.#outcomeOf(row))
    }
  }

  /** One after the other, and what goes wrong with one stops none behind it. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turnsWaiting += 1
    const done = this.#turn.then(work).finally(() => {
      this.#turnsWaiting -= 1
      if (this.#turnsWaiting === 0) this.#clearing.forgetDeleted()
    })
    this.#turn = done.catch(() => undefined)
    return done
  }

  async #report(row: InboundRecord, report: StatusReport): Promise<void> {
    try {
      this.#unmatched.add({ row, report })
      const matched = await this.#options.onReport(row.iccid, report)
      const as = matched ? 'report' : 'unmatched'
      if (row.settled !== as) await this.#keep([settled(row, as, this.#dateOf(row))])
      if (matched) this.#unmatched.remove(row)
      else this.#unmatched.add({ row: { ...row, settled: as }, report })
    } catch (error) {
      // It is in the journal, and tried again.
      this.#options.onTrouble(error)
    }
  }

  /** Whatever somebody sends, it stops nothing: what cannot be made sense of is kept as it came. */
  #outcomeOf(row: InboundRecord): readonly Change[] {
    try {
      return this.#outcome(row)
    } catch (error) {
      this.#options.onTrouble(error)
      return this.#unreadable(row)
    }
  }

  #dateOf(row: InboundRecord): number | undefined {
    const dated = datedMs(row.received, this.#options.time.stamp())
    return dated ?? (this.#mayGuess(row) ? this.#nowMs() : undefined)
  }

  /** What becomes of it: nothing yet, when the time is unknown or it is a report. */
  #outcome(row: InboundRecord): readonly Change[] {
    const tpdu = tpduIn(row.pdu)
    if (tpdu === undefined) return this.#unreadable(row)
    if (tpdu.kind !== 'deliver') return []
    const atMs = this.#dateOf(row)
    if (atMs === undefined) return []
    if (isSilent(tpdu)) return this.#silent(row)
    const effects = this.#long.take(row.pduId, row.iccid, tpdu, atMs)
    if (effects === undefined) return dated(this.#single(row, tpdu, atMs), atMs)
    const told = effects.flatMap((effect) => this.#announced(row, tpdu, atMs, effect))
    return dated([...told, settled(row, 'joined')], atMs)
  }

  #single(row: InboundRecord, deliver: Deliver, atMs: number): readonly Change[] {
    const content: Content = {
      userData: [deliver.userData],
      text: textOfUserData(deliver.userData),
      dataCodingScheme: deliver.dataCodingScheme,
      parts: 1,
      isPartial: false,
    }
    return this.#told(row, row.pduId, senderOf(deliver), receivedMs(deliver.serviceCentreTimeStamp, atMs), content)
  }

  #announced(row: InboundRecord, deliver: Deliver, atMs: number, effect: ReassemblyEffect): readonly Change[] {
    // A copy of a part says nothing new; it is cleared away like the others.
    if (effect.kind === 'part-duplicated') return []
    const content: Content = {
      userData: effect.message.userData,
      text: effect.message.text,
      dataCodingScheme: effect.message.dataCodingScheme,
      parts: effect.total,
      isPartial: effect.kind === 'partial-released',
    }
    const when = receivedMs(deliver.serviceCentreTimeStamp, atMs)
    return this.#told(row, derivedId(effect.groupId), senderOf({ originator: effect.sender }), when, content)
  }

  #told(row: InboundRecord, id: string, sender: string, whenMs: number, content: Content): readonly Change[] {
    const { time } = this.#options
    const event = contentEvent(
      {
        id,
        sender,
        recipient: (row.detail as { recipient?: string } | undefined)?.recipient,
        simNumber: row.simNumber,
        iccid: row.iccid,
        receivedAt: time.local(whenMs),
        receivedMs: whenMs,
        local: (ms) => time.local(ms),
      },
      content,
    )
    if (event.type !== 'MMS') return [{ kind: 'event', event }, settled(row, 'emitted')]
    if (this.#mmsKnown.has(event.id)) return [settled(row, 'copy')]
    this.#rememberMms(event.id)
    return [
      { kind: 'event', event },
      { kind: 'inbound-settled', pduId: row.pduId, as: 'emitted', detail: { mms: event.id } },
    ]
  }

  #unreadable(row: InboundRecord): readonly Change[] {
    const message = `SIM ${row.simNumber}: something came in that is no SMS as the standard has it; it is kept in the journal as ${row.pduId}`
    return [settled(row, 'unreadable'), this.#logged('WARN', message)]
  }

  #silent(row: InboundRecord): readonly Change[] {
    const message = `SIM ${row.simNumber}: a silent message came in, which a phone never shows; somebody may be looking where this SIM is`
    return [settled(row, 'silent'), this.#logged('INFO', message)]
  }

  #logged(priority: 'INFO' | 'WARN', message: string): Change {
    const { time } = this.#options
    const event = { kind: 'logged' as const, at: time.local(time.now().wallMs), module: 'receiving', priority, message }
    return { kind: 'event', event }
  }

  /** After a restart nobody can tell any more when it came: now is as near as it gets, once that is known. */
  #mayGuess({ received: { bootId } }: InboundRecord): boolean {
    const now = this.#options.time.stamp()
    return now.trusted && bootId !== now.bootId
  }

  #nowMs(): number {
    return this.#options.time.now().wallMs
  }

  /** Releases parts whose others never came. */
  #tick(): void {
    this.#timer = this.#options.clock.after(tickMs, () => this.#tick())
    const { time } = this.#options
    const { wallMs, trusted } = time.now()
    if (!trusted) return
    this.#inTurn(() => this.#release(wallMs)).catch(this.#options.onTrouble)
  }

  async #release(wallMs: number): Promise<void> {
    const { effects, changes } = this.#long.tick(wallMs)
    // Nothing of it is forgotten when the journal cannot be read now.
    this.#released = [...this.#released, ...effects]
    const told: Change[] = []
    for (const effect of this.#released) {
      if (effect.kind === 'part-duplicated') continue
      const first = await this.#rowOf(effect.partIds[0])
      const deliver = first === undefined ? undefined : tpduIn(first.pdu)
      if (first === undefined || deliver?.kind !== 'deliver') continue
      told.push(...this.#announced(first, deliver, first.receivedMs, effect).filter(({ kind }) => kind === 'event'))
    }
    this.#released = []
    if (changes.length > 0 || told.length > 0) await this.#keep([...changes, ...told])
  }

  #rememberMms(id: string): void {
    this.#mmsKnown.add(id)
    const [oldest] = this.#mmsKnown
    if (this.#mmsKnown.size > mostMmsKnown && oldest !== undefined) this.#mmsKnown.delete(oldest)
  }

  async #rowOf(pduId: string | undefined): Promise<InboundRecord | undefined> {
    return pduId === undefined ? undefined : this.#options.journal.read('inbound-by-id', { pduId })
  }
}

export interface ReceiverOptions {
  readonly journal: Journal
  readonly clock: Clock
  readonly time: TrustedTime
  readonly reassembly?: Partial<ReassemblyLimits>
  /** False when it fits nothing that is known yet. */
  readonly onReport: (iccid: string, report: StatusReport) => Promise<boolean>
  readonly onJournalTrouble: (error: JournalError) => void
  /** What should not happen, and stopped nothing. */
  readonly onTrouble: (error: unknown) => void
}

const mostMmsKnown = 10_000
const tickMs = 30_000
const rememberedMs = 8 * 24 * 60 * 60_000

function received(row: InboundRecord): Change {
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

function settled({ pduId }: InboundRecord, as: string, datedMs?: number): Change {
  return { kind: 'inbound-settled', pduId, as, ...(datedMs !== undefined && { datedMs }) }
}

/** What is known of its age is what its stamp said when nobody vouched for the clock, unless it is written down. */
function dated(changes: readonly Change[], atMs: number): readonly Change[] {
  return changes.map((change) => (change.kind === 'inbound-settled' ? { ...change, datedMs: atMs } : change))
}

function slotOf({ source }: Incoming): Slot | undefined {
  return source.kind === 'stored' ? { memory: source.memory, index: source.index } : undefined
}

function tpduIn(pdu: string): Deliver | StatusReport | undefined {
  try {
    const { tpdu } = decodeIncoming(octetsFromHex(pdu))
    return tpdu.kind === 'submit-report' ? undefined : tpdu
  } catch {
    // Whatever it is, it is kept as it came.
    return undefined
  }
}

function reportIn(pdu: string): StatusReport | undefined {
  const tpdu = tpduIn(pdu)
  return tpdu?.kind === 'status-report' ? tpdu : undefined
}

/** Type 0, and what is meant for the card: nobody is to see it. An indication of waiting messages without words says nothing. */
function isSilent(deliver: Deliver): boolean {
  const { kind } = decodeProtocolIdentifier(deliver.protocolIdentifier)
  if (kind === 'silent' || kind === 'sim-data-download') return true
  const { messageWaiting } = decodeDataCodingScheme(deliver.dataCodingScheme)
  return messageWaiting !== undefined && !messageWaiting.store && textOfUserData(deliver.userData) === ''
}
