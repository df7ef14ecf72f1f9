import { type Incoming, readIncoming } from '../receive/incoming-message.ts'
import type { SlotFailure } from '../receive/message-slots.ts'
import { type Deletion, isFailure } from '../receive/message-slots.ts'
import type { ReceiverEvent, Sweep } from '../receive/receive.ts'
import { TaskQueue } from '../task-queue.ts'
import { messagesIn, pdusOf, type StickMessage } from './stick-message.ts'
import type { WebAnswer, WebSession } from './web-session.ts'

/**
 * The inbox of the stick. A message is reported as one or more PDUs, each in a slot of its own, and is deleted from the
 * stick when the caller has stored and deleted all its PDUs.
 */
export class StickInbox {
  readonly #options: StickInboxOptions
  readonly #tasks = new TaskQueue()
  /** The PDUs that were reported, by slot. */
  readonly #reported = new Map<number, string>()
  /** The PDUs that the caller has stored, by slot. */
  readonly #stored = new Map<number, string>()

  constructor(options: StickInboxOptions) {
    this.#options = options
  }

  /**
   * Forgets which messages were reported, because another SIM or stick may hold other messages under the same indexes.
   */
  forget(): void {
    this.#reported.clear()
    this.#stored.clear()
  }

  sweep({ again = false }: { readonly again?: boolean } = {}): Promise<Sweep> {
    return this.#tasks.run(async () => {
      const { session, isSameStick } = this.#options
      const { refusals } = session
      const messages = await this.#list()
      // After a refused session, the next session may have another stick, whose messages belong to another SIM.
      if (session.refusals !== refusals && !(await isSameStick())) return { memories: [], complete: false }
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

  /** Deletes the message once all its PDUs are stored, and only if the stick still holds it under its index. */
  delete(slot: number, pdu: string): Promise<Deletion> {
    return this.#tasks.run(async () => {
      this.#stored.set(slot, pdu)
      const index = Math.floor(slot / slotsPerMessage)
      const messages = await this.#list()
      if (isFailure(messages)) return { kind: 'failed', ...messages }
      const message = messages.find((each) => each.index === index)
      const pdus = message === undefined ? [] : this.#pdusOf(message)
      const found = pdus[slot % slotsPerMessage]
      if (message === undefined || found !== pdu) {
        this.#stored.delete(slot)
        if (found === undefined) return { kind: 'already-gone' }
        return { kind: 'another-message', found: { index: slot, pdu: found, stat: undefined } }
      }
      if (pdus.some((each, at) => this.#stored.get(slotOf(message, at)) !== each)) return { kind: 'deferred' }
      const answer = await this.#options.session.post('/api/sms/delete-sms', [['Index', index]])
      if (answer.kind !== 'value') {
        const failure = failureOf(answer)
        this.#options.onNews({
          kind: 'not-deleted',
          memory,
          why: failure.failure === 'refused' ? 'refused' : 'unanswered',
        })
        return { kind: 'failed', ...failure }
      }
      for (const at of pdus.keys()) this.#stored.delete(slotOf(message, at))
      return { kind: 'deleted' }
    })
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
    return pdusOf(message, this.#options.zoneQuartersAt)
  }
}

export interface StickInboxOptions {
  readonly session: WebSession
  /** Asks the stick whether it and its SIM are still the same. */
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

function slotOf({ index }: StickMessage, part: number): number {
  return index * slotsPerMessage + part
}

/** The memory of the stick, as ModemManager and the AT commands name it. */
export const memory = 'ME'
/** A message has at most 255 parts. */
const slotsPerMessage = 256
const inboxType = 1
const pageSize = 20
const mostPages = 50
