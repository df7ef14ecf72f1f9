import { type Incoming, readIncoming } from '../receive/incoming-message.ts'
import type { SlotFailure } from '../receive/message-slots.ts'
import { type Deletion, isFailure } from '../receive/message-slots.ts'
import type { ReceiverEvent, Sweep } from '../receive/receive.ts'
import { TaskQueue } from '../task-queue.ts'
import { messagesIn, pdusOfStickMessage, type StickMessage } from './stick-message.ts'
import type { WebAnswer, WebSession } from './web-session.ts'

/**
 * The inbox of the stick. A message is reported as one or more PDUs, each with its own slot. The message is deleted
 * from the stick only after the caller has called `delete` for each of these PDUs.
 */
export class StickInbox {
  readonly #options: StickInboxOptions
  readonly #tasks = new TaskQueue()
  /** The PDUs that were reported, by slot. */
  readonly #reported = new Map<number, string>()
  /** The PDUs that the caller has stored, by slot. */
  readonly #stored = new Map<number, string>()

  /** The deletions that are waiting for the requests before them. */
  #batch: Batch | undefined
  /** False after the stick has deleted only some messages of one request. */
  #deletesSeveral = true

  constructor(options: StickInboxOptions) {
    this.#options = options
  }

  /** Clears the list of reported messages, because another SIM or stick may have other messages at the same indexes. */
  forget(): void {
    this.#reported.clear()
    this.#stored.clear()
    this.#batch?.requests.splice(0)
    this.#deletesSeveral = true
  }

  sweep({ again = false }: { readonly again?: boolean } = {}): Promise<Sweep> {
    return this.#tasks.run(async () => {
      const messages = await this.#listOfSameStick()
      if (messages === 'another-stick') return { memories: [], complete: false }
      if (isFailure(messages)) {
        this.#options.onNews({ kind: 'not-read', memory, why: messages.failure })
        return { memories: [], complete: false }
      }
      const present = new Map<number, string>()
      for (const message of messages) {
        for (const [at, pdu] of this.#pdusOf(message).entries()) present.set(slotOf(message, at), pdu)
      }
      for (const slot of this.#reported.keys()) if (!present.has(slot)) this.#reported.delete(slot)
      for (const [slot, pdu] of present) {
        if (this.#reported.get(slot) === pdu && !again) continue
        this.#reported.set(slot, pdu)
        const incoming = readIncoming({ kind: 'stored', memory, index: slot }, pdu)
        if (incoming !== undefined) this.#options.onIncoming(incoming)
      }
      return { memories: [{ memory, found: messages.length }], complete: true }
    })
  }

  /**
   * Deletes the message when all its PDUs are stored, but only if the message is still at its index. Calls that wait at
   * the same time are combined, because the stick must list its whole inbox before any deletion.
   */
  async delete(slot: number, pdu: string): Promise<Deletion> {
    const request = { slot, pdu }
    this.#batch ??= this.#nextBatch()
    const { requests, deletions } = this.#batch
    requests.push(request)
    return (await deletions).get(request) ?? notDeleted
  }

  #nextBatch(): Batch {
    const requests: DeletionRequest[] = []
    const deletions = this.#tasks.run(() => {
      this.#batch = undefined
      return this.#deleteAll(requests)
    })
    return { requests, deletions }
  }

  async #deleteAll(requests: readonly DeletionRequest[]): Promise<ReadonlyMap<DeletionRequest, Deletion>> {
    if (requests.length === 0) return new Map()
    for (const { slot, pdu } of requests) this.#stored.set(slot, pdu)
    const messages = await this.#listOfSameStick()
    if (messages === 'another-stick') return new Map()
    if (isFailure(messages)) return new Map(requests.map((request) => [request, { kind: 'failed', ...messages }]))
    const deletions = new Map<DeletionRequest, Deletion>()
    const ready: StickMessage[] = []
    for (const request of requests) {
      const { slot, pdu } = request
      const message = messages.find(({ index }) => index === indexOf(slot))
      const pdus = message === undefined ? [] : this.#pdusOf(message)
      const found = pdus[slot % slotsPerMessage]
      if (message === undefined || found !== pdu) {
        if (this.#stored.get(slot) === pdu) this.#stored.delete(slot)
        deletions.set(
          request,
          found === undefined
            ? { kind: 'already-gone' }
            : { kind: 'another-message', found: { index: slot, pdu: found, stat: undefined } },
        )
      } else if (pdus.some((each, at) => this.#stored.get(slotOf(message, at)) !== each)) {
        deletions.set(request, { kind: 'deferred' })
      } else if (!ready.includes(message)) ready.push(message)
    }
    const results = await this.#deleteMessages(ready)
    for (const request of requests) {
      const result = results.get(indexOf(request.slot))
      if (result !== undefined && !deletions.has(request)) deletions.set(request, result)
    }
    return deletions
  }

  /** Returns the result for each index. After a failure, the remaining messages are not deleted. */
  async #deleteMessages(messages: readonly StickMessage[]): Promise<ReadonlyMap<number, Deletion>> {
    const results = new Map<number, Deletion>()
    const size = this.#deletesSeveral ? pageSize : 1
    let failure: SlotFailure | undefined
    for (let start = 0; start < messages.length; start += size) {
      const some = messages.slice(start, start + size)
      failure ??= await this.#postDeletion(some)
      const result: Deletion = failure === undefined ? { kind: 'deleted' } : { kind: 'failed', ...failure }
      for (const { index } of some) results.set(index, result)
    }
    if (size > 1 && messages.length > 1) await this.#confirm(messages, results)
    for (const message of messages) {
      if (results.get(message.index)?.kind !== 'deleted') continue
      for (const at of this.#pdusOf(message).keys()) this.#stored.delete(slotOf(message, at))
    }
    return results
  }

  async #postDeletion(messages: readonly StickMessage[]): Promise<SlotFailure | undefined> {
    const answer = await this.#options.session.post(
      '/api/sms/delete-sms',
      messages.map(({ index }) => ['Index', index] as const),
      // In another session, another stick may hold other messages under these indexes.
      { isStillValid: async () => false },
    )
    if (answer.kind === 'value') return undefined
    const failure = failureOf(answer)
    if (failure.failure === 'refused' && messages.length > 1) this.#deletesSeveral = false
    this.#options.onNews({ kind: 'not-deleted', memory, why: failure.failure === 'refused' ? 'refused' : 'unanswered' })
    return failure
  }

  /** Some firmware may reply OK although it has deleted only the first of several messages. */
  async #confirm(messages: readonly StickMessage[], results: Map<number, Deletion>): Promise<void> {
    const deleted = messages.filter(({ index }) => results.get(index)?.kind === 'deleted')
    if (deleted.length === 0) return
    const left = await this.#listOfSameStick()
    for (const message of deleted) {
      if (left === 'another-stick') results.set(message.index, notDeleted)
      else if (isFailure(left)) results.set(message.index, { kind: 'failed', ...left })
      else if (left.some((each) => isSameMessage(each, message))) {
        this.#deletesSeveral = false
        results.set(message.index, { kind: 'failed', failure: 'refused', error: undefined })
      }
    }
  }

  /** After a refused session, the next session may have another stick, whose messages belong to another SIM. */
  async #listOfSameStick(): Promise<readonly StickMessage[] | SlotFailure | 'another-stick'> {
    const { session, isSameStick } = this.#options
    const { refusals } = session
    const messages = await this.#list()
    return session.refusals === refusals || (await isSameStick()) ? messages : 'another-stick'
  }

  async #list(): Promise<readonly StickMessage[] | SlotFailure> {
    const found = new Map<number, StickMessage>()
    for (let page = 1; page <= mostPages; page += 1) {
      const answer = await this.#options.session.post('/api/sms/sms-list', [
        ['PageIndex', page],
        ['ReadCount', pageSize],
        ['BoxType', inboxType],
        ['SortType', 0],
        ['Ascending', 1],
        ['UnreadPreferred', 0],
      ])
      if (answer.kind !== 'value') return failureOf(answer)
      const messages = messagesIn(answer.value)
      for (const message of messages) found.set(message.index, message)
      if (messages.length < pageSize) break
    }
    return [...found.values()]
  }

  #pdusOf(message: StickMessage): readonly string[] {
    return pdusOfStickMessage(message, this.#options.zoneQuartersAt)
  }
}

export interface StickInboxOptions {
  readonly session: WebSession
  /** Checks that the stick and its SIM have not changed. */
  readonly isSameStick: () => Promise<boolean>
  /** The time zone in which the stick shows dates. */
  readonly zoneQuartersAt: (epochMs: number) => number
  readonly onIncoming: (incoming: Incoming) => void
  readonly onNews: (news: ReceiverEvent) => void
}

function failureOf(answer: Exclude<WebAnswer, { kind: 'value' }>): SlotFailure {
  switch (answer.kind) {
    case 'refused':
      return { failure: 'refused', error: answer.error }
    case 'not-sent':
      return { failure: 'not-sent', error: undefined }
    case 'no-answer':
      return { failure: 'unanswered', error: undefined }
  }
}

const notDeleted: Deletion = { kind: 'failed', failure: 'not-sent', error: undefined }

interface DeletionRequest {
  readonly slot: number
  readonly pdu: string
}

interface Batch {
  readonly requests: DeletionRequest[]
  readonly deletions: Promise<ReadonlyMap<DeletionRequest, Deletion>>
}

function isSameMessage(one: StickMessage, other: StickMessage): boolean {
  return (['index', 'phone', 'content', 'date', 'type'] as const).every((name) => one[name] === other[name])
}

function indexOf(slot: number): number {
  return Math.floor(slot / slotsPerMessage)
}

function slotOf({ index }: StickMessage, part: number): number {
  return index * slotsPerMessage + part
}

/** The memory of the stick, as ModemManager and the AT commands name it. */
export const memory = 'ME'
/** The number of deletions after one listing. No other request about the inbox runs before these deletions are done. */
export const deletionsPerListing = 200
/** A message has at most 255 parts. */
const slotsPerMessage = 256
const inboxType = 1
const pageSize = 20
const mostPages = 50
