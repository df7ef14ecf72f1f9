import { textFromAddress } from '@smsgw/sms/fields/address'
import { isValidTimeStamp, type TimeStamp } from '@smsgw/sms/fields/time-stamp'
import { concatenationOf } from '@smsgw/sms/fields/user-data-header'
import { octetsFromHex } from '@smsgw/sms/octets'
import { heldPartOf } from '@smsgw/sms/reassembly/held-part'
import {
  defaultReassemblyLimits,
  emptyReassembly,
  nextReassembly,
  type ReassemblyEffect,
  type ReassemblyInput,
  type ReassemblyState,
} from '@smsgw/sms/reassembly/reassemble'
import type { Deliver } from '@smsgw/sms/tpdu/deliver'
import { decodeIncoming } from '@smsgw/sms/tpdu/tpdu'
import type { Change, Json } from '../journal/change.ts'
import type { InboundRecord } from '../journal/read.ts'

/**
 * Joins the parts of long messages. The state depends only on the journal. The journal contains the parts in their
 * order, and each clock tick that released parts. A tick is stored with the part that arrived before it.
 */
export class LongMessages {
  #state: ReassemblyState = emptyReassembly
  #lastPart: string | null = null
  readonly #ticks = new Map<string, Tick>()
  #ticksCounted = 0
  /** The parts whose PDU is still in the journal. */
  readonly #whole = new Map<string, PartArrived>()

  /**
   * Replays the parts in the journal. Their events are already written. The returned changes remove content that is not
   * needed any more.
   */
  restore(records: readonly InboundRecord[], notes: Readonly<Record<string, Json>>): readonly Change[] {
    const effects: ReassemblyEffect[] = []
    const known = new Map<string | null, Tick[]>()
    for (const tick of this.#ticksIn(notes)) known.set(tick.after, [...(known.get(tick.after) ?? []), tick])
    effects.push(...this.#replayTicks(known.get(null)))
    for (const record of records) {
      // Skips other records, such as silent messages.
      const input = record.settled === 'joined' ? knownPart(record) : undefined
      if (input === undefined) continue
      effects.push(...this.#step(input))
      this.#lastPart = record.pduId
      effects.push(...this.#replayTicks(known.get(record.pduId)))
    }
    return this.forgotten(effects)
  }

  /** Returns undefined for a message of one part. */
  take(pduId: string, iccid: string, deliver: Deliver, atMs: number): readonly ReassemblyEffect[] | undefined {
    if (concatenationOf(deliver.userData.header) === undefined) return undefined
    const effects = this.#step(partInput(pduId, iccid, deliver, atMs))
    this.#lastPart = pduId
    return effects
  }

  /**
   * Removes the content of copies, and of parts whose message is complete. Keeps the data that identifies these parts.
   */
  forgotten(effects: readonly ReassemblyEffect[]): readonly Change[] {
    return effects
      .flatMap((effect) => {
        if (effect.kind === 'part-duplicated') return [effect.partId]
        return effect.kind === 'message-completed' ? effect.partIds : []
      })
      .flatMap((pduId): Change[] => {
        const part = this.#whole.get(pduId)
        this.#whole.delete(pduId)
        return part === undefined ? [] : [{ kind: 'inbound-forgotten', pduId, remains: { part: remainsOf(part) } }]
      })
  }

  /** Releases parts that have waited long enough. If the returned changes are stored, a restart replays the release. */
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

  /** Returns the stored ticks in their order. */
  #ticksIn(notes: Readonly<Record<string, Json>>): readonly Tick[] {
    const names = Object.keys(notes).filter((name) => name.startsWith(tickNote))
    for (const name of names.sort()) {
      this.#ticks.set(name, notes[name] as unknown as Tick)
      this.#ticksCounted = Number(name.slice(tickNote.length))
    }
    return [...this.#ticks.values()]
  }

  #replayTicks(ticks: readonly Tick[] = []): readonly ReassemblyEffect[] {
    return ticks.flatMap(({ nowMs }) => this.#step({ kind: 'clock-ticked', nowMs }))
  }

  #keepWhole(part: PartArrived): void {
    this.#whole.set(part.partId, part)
    const [oldest] = this.#whole.keys()
    if (this.#whole.size > defaultReassemblyLimits.maxParts && oldest !== undefined) this.#whole.delete(oldest)
  }

  #step(input: ReassemblyInput): readonly ReassemblyEffect[] {
    if (input.kind === 'part-arrived' && input.fingerprint === undefined) this.#keepWhole(input)
    const { state, effects } = nextReassembly(this.#state, input, defaultReassemblyLimits)
    this.#state = state
    return effects
  }
}

function knownPart({ pduId, iccid, pdu, receivedMs, detail }: InboundRecord): PartArrived | undefined {
  const remains = (detail as { readonly part?: PartRemains } | undefined)?.part
  if (remains !== undefined) return partFrom(remains, pduId, iccid, receivedMs)
  const deliver = partIn(pdu)
  return deliver === undefined ? undefined : partInput(pduId, iccid, deliver, receivedMs)
}

type PartArrived = Extract<ReassemblyInput, { kind: 'part-arrived' }>

/** Identifies a part without its content. */
type PartRemains = Readonly<Record<'fingerprint' | 'sender' | 'concatenation' | 'stamp', Json>> & {
  readonly dataCodingScheme: number
  readonly protocolIdentifier: number
}

function remainsOf(part: PartArrived): PartRemains {
  const { sender, concatenation, serviceCentreTimeStamp: stamp, dataCodingScheme, protocolIdentifier } = part
  return {
    fingerprint: heldPartOf(part).fingerprint,
    sender: { ...sender },
    concatenation: { ...concatenation },
    stamp: isValidTimeStamp(stamp) ? { ...stamp } : null,
    dataCodingScheme,
    protocolIdentifier,
  }
}

function partFrom(remains: PartRemains, partId: string, sim: string, atMs: number): PartArrived {
  const { fingerprint, sender, concatenation, stamp, dataCodingScheme, protocolIdentifier } = remains
  return {
    kind: 'part-arrived',
    partId,
    sim,
    sender: sender as unknown as PartArrived['sender'],
    concatenation: concatenation as unknown as PartArrived['concatenation'],
    userData: { header: undefined, alphabet: 'octets', units: new Uint8Array() },
    dataCodingScheme,
    protocolIdentifier,
    serviceCentreTimeStamp: stamp === null ? { invalid: true, raw: new Uint8Array() } : (stamp as unknown as TimeStamp),
    atMs,
    fingerprint: String(fingerprint),
  }
}

/** There is one note for each tick, so that a new tick does not rewrite the notes of earlier ticks. */
const tickNote = 'reassembly-tick/'

interface Tick {
  readonly after: string | null
  readonly nowMs: number
}

const ticksKeptMs = 9 * 24 * 60 * 60_000

function partInput(pduId: string, iccid: string, deliver: Deliver, atMs: number): PartArrived {
  const concatenation = concatenationOf(deliver.userData.header)
  if (concatenation === undefined) throw new Error(`${pduId} is not a part of a long message`)
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
    // Returns undefined for an unreadable PDU, which was stored unchanged.
    return undefined
  }
}

export function originatorText(deliver: Pick<Deliver, 'originator'>): string {
  return textFromAddress(deliver.originator)
}
