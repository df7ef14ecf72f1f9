// Inbound path, step 2: reads the message from the SIM. Next: inbound-receiver.ts.

import type { Clock } from '../clock.ts'
import type { Memory } from '../commands/messages/message-storage.ts'
import type { StoredPdu } from '../commands/messages/stored-messages.ts'
import { integerOf, parameterText, parseParameters } from '../wire/at-parameters.ts'
import type { ResponseLine } from '../wire/response-line.ts'
import { type Incoming, type MessageSource, readIncoming } from './incoming-message.ts'
import { type Deletion, isFailure, type MessageSlots, type SlotFailure } from './message-slots.ts'
import { Tips } from './tips.ts'

/**
 * Receives messages and reports. A message in a slot is reported once, even if it is announced or found several times.
 * A message is deleted when the owner has stored the message and requests the deletion. A message that was not deleted
 * is reported again only if `sweep` is called with `again`. If the slot later holds another message, that message is
 * reported.
 *
 * Some modems show the same messages in several memories. So a message that is also in another memory, at the same
 * index, is not reported while it is there. If it is still there after the other one was deleted, it is reported.
 */
export class MessageReceiver {
  readonly #onIncoming: (incoming: Incoming) => void
  readonly #onNews: (news: ReceiverEvent) => void
  readonly #tips: Tips
  /** The PDU that was reported from each slot and is still in the slot. */
  readonly #reported = new Map<string, string>()
  /** During a sweep with `again`: the PDUs that were reported before, so that each is reported from the same slot. */
  #reportedBefore: ReadonlyMap<string, string> = new Map()
  /** By index: messages that were not reported because they are equal to a message in another memory. */
  readonly #twins = new Map<number, { readonly memory: Memory; readonly pdu: string }>()
  /** Slots that the modem announced and that have not been read yet. */
  readonly #indicated = new Map<string, { readonly memory: Memory; readonly index: number }>()
  #session: ReceiverSession | undefined
  #reading = false
  #sweepWanted: 'no' | 'usual' | 'thorough' = 'no'
  #broadcasts = 0

  constructor(options: {
    readonly clock: Clock
    readonly onIncoming: (incoming: Incoming) => void
    readonly onNews: (news: ReceiverEvent) => void
  }) {
    this.#tips = new Tips(options.clock, () => this.sweepSoon('thorough'))
    this.#onIncoming = options.onIncoming
    this.#onNews = options.onNews
  }

  get broadcastsIgnored(): number {
    return this.#broadcasts
  }

  /** `session` is undefined while the modem cannot be read. If `sameSim` is false, the slots belong to another SIM. */
  attach(session: ReceiverSession | undefined, sameSim = true): void {
    this.#session = session
    if (!sameSim) this.#reported.clear()
    this.#twins.clear()
    if (session === undefined) {
      this.#indicated.clear()
      this.#tips.forget()
    }
  }

  /** Handles an unsolicited code. Returns false if the code does not concern messages. */
  handle(line: ResponseLine): boolean {
    switch (line.prefix) {
      case '+CMTI':
      case '+CDSI':
        this.#indicate(line)
        return true
      case '+CMT':
      case '+CDS':
        this.#takeDirect(line)
        return true
      case '+CBM':
      case '+CBMI':
        this.#broadcasts += 1
        return true
      case '^SMMEMFULL':
        this.#sweepOnTip('thorough')
        return true
      default:
        return false
    }
  }

  /** Sweeps all memories as soon as the current reads have ended. */
  sweepSoon(kind: 'usual' | 'thorough'): void {
    if (this.#sweepWanted !== 'thorough') this.#sweepWanted = kind
    void this.#work()
  }

  /** Sweeps all memories now. `again` also reports messages that were reported before. */
  async sweep({ again = false }: { readonly again?: boolean } = {}): Promise<Sweep> {
    const session = this.#session
    if (again) {
      this.#reportedBefore = new Map(this.#reported)
      this.#reported.clear()
    }
    const sweep = session === undefined ? { memories: [], complete: false } : await this.#sweep(session, true)
    this.#reportedBefore = new Map()
    return sweep
  }

  /** Handles messages that were read through another port. */
  found(memory: Memory, messages: readonly StoredPdu[]): void {
    for (const message of messages) this.#report(memory, message.index, message)
  }

  /** Runs the task while this memory is selected and no other command uses a memory. */
  async whileSelected(memory: Memory, task: () => Promise<void>): Promise<void> {
    await this.#session?.slots.whileSelected(memory, task)
  }

  keepSelected(memory: Memory): void {
    this.#session?.slots.keepSelected(memory)
  }

  async delete(memory: Memory, index: number, pdu: string): Promise<Deletion> {
    const session = this.#session
    if (session === undefined) return { kind: 'failed', failure: 'not-sent', error: undefined }
    if (session.deletingDeletesSiblings && (await this.#findsMore(session, memory))) return { kind: 'deferred' }
    const deletion = await session.slots.delete(memory, index, pdu)
    if (deletion.kind === 'deleted' || deletion.kind === 'already-gone') {
      this.#reported.delete(slot(memory, index))
      await this.#readTwin(session, index, pdu)
    } else if (deletion.kind === 'another-message') this.#report(memory, deletion.found.index, deletion.found)
    else if (deletion.kind === 'failed' && (deletion.failure === 'refused' || deletion.failure === 'unanswered'))
      this.#onNews({ kind: 'not-deleted', memory, why: deletion.failure })
    return deletion
  }

  /** Must be called after a deletion. Reports an equal message of another memory, if it is still there. */
  async #readTwin(session: ReceiverSession, index: number, pdu: string): Promise<void> {
    const twin = this.#twins.get(index)
    if (twin?.pdu !== pdu.toUpperCase()) return
    this.#twins.delete(index)
    const found = await session.slots.read(twin.memory, index)
    // If the slot cannot be read now, a later sweep finds the message.
    if (found !== 'empty' && !isFailure(found)) this.#report(twin.memory, index, found)
  }

  /**
   * Must be called before a deletion. If the modem deletes one part of a long message, it may also delete the other
   * parts. So this method first reports all messages in the memory that were not reported yet. Returns true if such
   * messages exist or may exist.
   */
  async #findsMore(session: ReceiverSession, memory: Memory): Promise<boolean> {
    const listing = await session.slots.list(memory, { thorough: true })
    if (isFailure(listing)) return true
    const fresh = listing.messages.filter(
      ({ index, pdu }) => !(this.#reported.has(slot(memory, index)) || this.#isTwin(memory, index, pdu)),
    )
    for (const message of fresh) this.#report(memory, message.index, message)
    return fresh.length > 0 || !listing.complete
  }

  #indicate(line: ResponseLine): void {
    const [name, place] = parseParameters(line.body)
    const memory = this.#session?.onlyMemory ?? parameterText(name).toUpperCase()
    const index = integerOf(place)
    if (!/^[A-Z]{2}$/.test(memory) || index === undefined || index < 0) {
      this.#sweepOnTip('thorough')
      return
    }
    // If there is no session, the indication is skipped, because the next session begins with a sweep.
    if (this.#session === undefined || !this.#tips.follow()) return
    // Reading by slot takes one command per message, so a listing is faster for many messages.
    if (this.#indicated.size < mostReadOneByOne) this.#indicated.set(slot(memory, index), { memory, index })
    else this.#sweepWanted = 'thorough'
    void this.#work()
  }

  #sweepOnTip(kind: 'usual' | 'thorough'): void {
    if (this.#session === undefined || !this.#tips.follow()) return
    // Counts the indication as useless until the sweep finds a message. This detects a loop of indications and sweeps.
    this.#tips.wasted()
    this.sweepSoon(kind)
  }

  #takeDirect(line: ResponseLine): void {
    const source: MessageSource = { kind: 'direct', acknowledge: this.#session?.acknowledges ?? false }
    const pdu = line.payload?.replaceAll(/\s/g, '').toUpperCase() ?? ''
    if (/^[0-9A-F]+$/.test(pdu)) {
      const incoming = readIncoming(source, pdu)
      if (incoming) this.#onIncoming(incoming)
    } else if (pdu !== '' || parseParameters(line.body).length > mostParametersOfPduMode) {
      // Reports the part of the message that was received, because the modem will not send the message again.
      const text = [line.text, line.payload].filter((part) => part !== undefined).join('\n')
      this.#onIncoming({ kind: 'unreadable', source, pdu: text, why: 'not a PDU: the modem is in text mode' })
      this.#onNews({ kind: 'text-mode' })
    } else {
      // The message was announced and truncated, so a sweep checks whether the modem has stored it.
      this.#onNews({ kind: 'content-missing', code: line.prefix })
      this.#sweepOnTip('thorough')
    }
  }

  async #work(): Promise<void> {
    if (this.#reading) return
    this.#reading = true
    try {
      for (;;) {
        const session = this.#session
        if (session === undefined) return
        const next = this.#indicated.entries().next().value
        if (this.#sweepWanted !== 'no') {
          const thorough = this.#sweepWanted === 'thorough'
          this.#sweepWanted = 'no'
          this.#indicated.clear()
          await this.#sweep(session, thorough)
        } else if (next !== undefined) {
          this.#indicated.delete(next[0])
          await this.#readSlot(session, next[1].memory, next[1].index)
        } else {
          return
        }
      }
    } finally {
      this.#reading = false
    }
  }

  async #readSlot(session: ReceiverSession, memory: Memory, index: number): Promise<void> {
    const found = await session.slots.read(memory, index)
    if (found === 'empty' || (isFailure(found) && found.failure === 'refused')) {
      // The modem announced the message too early (E3531), or reported the wrong memory (SM for a report that is in
      // SR).
      if (this.#reported.has(slot(memory, index))) this.#tips.wasted()
      else if (this.#sweepWanted === 'no') this.#sweepOnTip('usual')
    } else if (isFailure(found)) {
      this.#onNews({ kind: 'not-read', memory, why: found.failure })
    } else if (!this.#report(memory, index, found)) {
      this.#tips.wasted()
    }
  }

  async #sweep(session: ReceiverSession, thorough: boolean): Promise<Sweep> {
    const memories: SweptMemory[] = []
    let complete = true
    for (const memory of session.memories) {
      const listing = await session.slots.list(memory, { thorough: thorough && !session.listingHangs })
      if (isFailure(listing)) {
        complete = false
        this.#onNews({ kind: 'not-read', memory, why: listing.failure })
        continue
      }
      complete &&= listing.complete
      if (!listing.complete) this.#onNews({ kind: 'not-read', memory, why: 'unanswered' })
      for (const message of listing.messages) this.#report(memory, message.index, message)
      if (listing.complete) this.#forgetGone(memory, new Set(listing.messages.map((message) => message.index)))
      memories.push({ memory, found: listing.messages.length })
    }
    return { memories, complete }
  }

  /** Returns false if the message was reported before. */
  #report(memory: Memory, index: number, { pdu, stat }: { pdu: string; stat: number | undefined }): boolean {
    const key = slot(memory, index)
    if (this.#reported.get(key) === pdu) return false
    if (this.#isTwin(memory, index, pdu)) {
      this.#twins.set(index, { memory, pdu })
      return false
    }
    this.#reported.set(key, pdu)
    this.#boundReported()
    const source: MessageSource = { kind: 'stored', memory, index }
    const incoming = readIncoming(source, pdu, stat)
    if (incoming) this.#onIncoming(incoming)
    return true
  }

  /** True if the message is at the same index of another memory, and was reported from there. */
  #isTwin(memory: Memory, index: number, pdu: string): boolean {
    const others = this.#session?.memories.filter((other) => other !== memory) ?? []
    const places = others.map((other) => slot(other, index))
    return places.some((place) => this.#reported.get(place) === pdu || this.#reportedBefore.get(place) === pdu)
  }

  /** Limits the size of the map, in case a listing never ends. The limit is larger than any memory. */
  #boundReported(): void {
    const oldest = this.#reported.size > mostReported ? this.#reported.keys().next().value : undefined
    if (oldest !== undefined) this.#reported.delete(oldest)
  }

  #forgetGone(memory: Memory, present: ReadonlySet<number>): void {
    for (const key of this.#reported.keys()) {
      const [reportedMemory, index] = key.split(':')
      if (reportedMemory === memory && !present.has(Number(index))) this.#reported.delete(key)
    }
  }
}

/** What the receiver needs from a modem that is set up. */
export interface ReceiverSession {
  readonly slots: MessageSlots
  readonly memories: readonly Memory[]
  /**
   * The current memory of a modem that cannot select a memory. Announcements of the modem may give this memory another
   * name.
   */
  readonly onlyMemory: Memory | undefined
  readonly acknowledges: boolean
  readonly listingHangs: boolean
  readonly deletingDeletesSiblings: boolean
}

export type ReceiverEvent =
  /** The driver could not read a memory to its end. The messages that were read have been reported. */
  | { readonly kind: 'not-read'; readonly memory: Memory; readonly why: SlotFailure['failure'] }
  /** A message could not be deleted. */
  | { readonly kind: 'not-deleted'; readonly memory: Memory; readonly why: 'refused' | 'unanswered' }
  /** A message arrived as text, so the modem has left PDU mode. */
  | { readonly kind: 'text-mode' }
  /** `+CMT` or `+CDS` without its second line. */
  | { readonly kind: 'content-missing'; readonly code: string }

export interface Sweep {
  readonly memories: readonly SweptMemory[]
  /** True if every memory was read to its end. */
  readonly complete: boolean
}

export interface SweptMemory {
  readonly memory: Memory
  readonly found: number
}

const mostReadOneByOne = 8
const mostReported = 4096
// 27.005 §3.4.1: `+CMT: [<alpha>],<length>`, `+CDS: <length>`.
const mostParametersOfPduMode = 2

function slot(memory: Memory, index: number): string {
  return `${memory}:${index}`
}
