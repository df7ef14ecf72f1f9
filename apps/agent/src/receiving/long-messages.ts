import { textFromAddress } from '@smsgw/sms/address'
import type { Deliver } from '@smsgw/sms/deliver'
import { octetsFromHex } from '@smsgw/sms/octets'
import {
  defaultReassemblyLimits,
  emptyReassembly,
  next,
  type ReassemblyEffect,
  type ReassemblyInput,
  type ReassemblyLimits,
  type ReassemblyState,
} from '@smsgw/sms/reassemble'
import { decodeIncoming } from '@smsgw/sms/tpdu'
import { concatenationOf } from '@smsgw/sms/user-data-header'
import type { Change, Json } from '../journal/change.ts'
import type { InboundRecord } from '../journal/read.ts'

/**
 * Parts that wait for the others. What is known of them follows from the journal alone: the parts in their order, and the
 * ticks of the clock that released something, each kept with the part it came after.
 */
export class LongMessages {
  readonly #limits: ReassemblyLimits
  #state: ReassemblyState = emptyReassembly
  #lastPart: string | null = null
  readonly #ticks = new Map<string, Tick>()
  #ticksCounted = 0

  constructor(limits: Partial<ReassemblyLimits> = {}) {
    this.#limits = { ...defaultReassemblyLimits, ...limits }
  }

  /** Feeds in again what was known. What came of it then was told then. */
  restore(records: readonly InboundRecord[], notes: Readonly<Record<string, Json>>): void {
    const known = new Map<string | null, Tick[]>()
    for (const tick of this.#ticksIn(notes)) known.set(tick.after, [...(known.get(tick.after) ?? []), tick])
    this.#replayTicks(known.get(null))
    for (const record of records) {
      // What was not taken for a part then, such as a silent one, is none now.
      const deliver = record.settled === 'joined' ? partIn(record.pdu) : undefined
      if (deliver === undefined) continue
      this.#step(partInput(record.pduId, record.iccid, deliver, record.receivedMs))
      this.#lastPart = record.pduId
      this.#replayTicks(known.get(record.pduId))
    }
  }

  /** Undefined when the message is whole in itself. */
  take(pduId: string, iccid: string, deliver: Deliver, atMs: number): readonly ReassemblyEffect[] | undefined {
    if (concatenationOf(deliver.userData.header) === undefined) return undefined
    const effects = this.#step(partInput(pduId, iccid, deliver, atMs))
    this.#lastPart = pduId
    return effects
  }

  /** What has waited long enough, and the changes by which that is known again after a restart. */
  tick(nowMs: number): { readonly effects: readonly ReassemblyEffect[]; readonly changes: readonly Change[] } {
    const before = this.#state
    const effects = this.#step({ kind: 'clock-ticked', nowMs })
    if (before === this.#state) return { effects, changes: [] }
    this.#ticksCounted += 1
    const tick = { after: this.#lastPart, nowMs }
    const name = `${tickNote}${String(this.#ticksCounted).padStart(12, '0')}`
    this.#ticks.set(name, tick)
    const old = [...this.#ticks].filter(([, { nowMs: tickedMs }]) => tickedMs <= nowMs - ticksKeptMs)
    for (const [each] of old) this.#ticks.delete(each)
    return {
      effects,
      changes: [
        { kind: 'note', name, value: { ...tick } },
        ...old.map(([each]) => ({ kind: 'note' as const, name: each, value: null })),
      ],
    }
  }

  /** In the order in which they were. */
  #ticksIn(notes: Readonly<Record<string, Json>>): readonly Tick[] {
    const names = Object.keys(notes).filter((name) => name.startsWith(tickNote))
    for (const name of names.sort()) {
      this.#ticks.set(name, notes[name] as unknown as Tick)
      this.#ticksCounted = Number(name.slice(tickNote.length))
    }
    return [...this.#ticks.values()]
  }

  #replayTicks(ticks: readonly Tick[] = []): void {
    for (const { nowMs } of ticks) this.#step({ kind: 'clock-ticked', nowMs })
  }

  #step(input: ReassemblyInput): readonly ReassemblyEffect[] {
    const { state, effects } = next(this.#state, input, this.#limits)
    this.#state = state
    return effects
  }
}

/** One note for each, so that none of them is written again for the next. */
const tickNote = 'reassembly-tick/'

interface Tick {
  readonly after: string | null
  readonly nowMs: number
}

const ticksKeptMs = 9 * 24 * 60 * 60_000

function partInput(pduId: string, iccid: string, deliver: Deliver, atMs: number): ReassemblyInput {
  const concatenation = concatenationOf(deliver.userData.header)
  if (concatenation === undefined) throw new Error(`${pduId} is no part`)
  return {
    kind: 'part-arrived',
    partId: pduId,
    sim: iccid,
    sender: deliver.originator,
    concatenation,
    userData: deliver.userData,
    dataCodingScheme: deliver.dataCodingScheme,
    protocolIdentifier: deliver.protocolIdentifier,
    serviceCentreTimeStamp: deliver.serviceCentreTimeStamp,
    atMs,
  }
}

function partIn(pdu: string): Deliver | undefined {
  try {
    const { tpdu } = decodeIncoming(octetsFromHex(pdu))
    if (tpdu.kind !== 'deliver') return undefined
    return concatenationOf(tpdu.userData.header) === undefined ? undefined : tpdu
  } catch {
    // Kept as it came: it was no part then either.
    return undefined
  }
}

export function senderOf(deliver: Pick<Deliver, 'originator'>): string {
  return textFromAddress(deliver.originator)
}
