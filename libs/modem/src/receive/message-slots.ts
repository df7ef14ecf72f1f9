import type { Cancellation } from '../cancellation.ts'
import type { Clock } from '../clock.ts'
import { type Memory, type MemoryUsage, readMemoryUsage, selectMemories } from '../commands/message-storage.ts'
import { type Answer, ask, askIfKnown, type Executor } from '../commands/query.ts'
import { deleteMessage, listMessages, readMessage, type StoredMessage } from '../commands/stored-messages.ts'
import type { CommandError } from '../dialogue/command-error.ts'
import { Pause } from '../pause.ts'
import type { StorageTraits } from '../profiles/profile.ts'
import { TaskQueue } from '../task-queue.ts'

/**
 * The messages in the SIM and the modem. All commands use the memory selected last, so a selection and the commands
 * after it run as one task; submissions may run in between because they need no memory.
 *
 * This object is valid for one session, because a modem that restarted has lost the selection.
 */
export class MessageSlots {
  readonly #executor: Executor
  readonly #clock: Clock
  readonly #traits: StorageTraits
  readonly #cancellation: Cancellation
  readonly #onUsage: (memory: Memory, usage: MemoryUsage) => void
  readonly #tasks = new TaskQueue()
  #selected: Memory | undefined

  constructor(options: {
    readonly executor: Executor
    readonly clock: Clock
    readonly traits: StorageTraits
    readonly cancellation: Cancellation
    readonly onUsage: (memory: Memory, usage: MemoryUsage) => void
  }) {
    this.#executor = options.executor
    this.#clock = options.clock
    this.#traits = options.traits
    this.#cancellation = options.cancellation
    this.#onUsage = options.onUsage
  }

  read(memory: Memory, index: number): Promise<StoredMessage | 'empty' | SlotFailure> {
    return this.#tasks.run(async () => (await this.#selectOnce(memory)) ?? this.#read(index))
  }

  /**
   * Lists all messages. If the modem falls silent in the middle, returns the messages that have arrived. A memory
   * reported as empty is normally not listed, because some firmware hangs after hours of listing. It is listed if
   * `thorough` is set, because some firmware counts wrongly.
   */
  list(memory: Memory, { thorough }: { readonly thorough: boolean }): Promise<Listing | SlotFailure> {
    return this.#tasks.run(async () => {
      const usage = await this.#settledUsage(memory)
      if (isFailure(usage)) return usage
      if (usage !== 'unknown' && usage.used === 0 && !thorough) return { usage, messages: [], complete: true }
      if (this.#traits.notListable.includes(memory)) return this.#readAll(usage)
      const answer = await ask(this.#executor, listMessages, this.#cancellation)
      switch (answer.kind) {
        case 'value':
          return { usage, messages: answer.value, complete: true }
        case 'refused':
          // Not every memory can be listed (SR of DWM-156), but it can be read by index.
          if (answer.error.class === 'unsupported' || memory === reports) return this.#readAll(usage)
          return failureOf(answer)
        case 'unanswered':
          return { usage, messages: answer.partial ?? [], complete: false }
        case 'unreadable':
        case 'not-sent':
          return failureOf(answer)
      }
    })
  }

  /**
   * Deletes a message only if the slot still holds it, because a free index is reused at once and a repeated delete
   * would remove the next message.
   */
  delete(memory: Memory, index: number, pdu: string): Promise<Deletion> {
    return this.#tasks.run(async () => {
      const failed = await this.#selectOnce(memory)
      if (failed) return { kind: 'failed', ...failed }
      const found = await this.#read(index)
      if (found === 'empty') return { kind: 'already-gone' }
      if (isFailure(found)) return { kind: 'failed', ...found }
      if (found.pdu !== pdu.toUpperCase()) return { kind: 'another-message', found }
      const answer = await ask(this.#executor, deleteMessage(index), this.#cancellation)
      if (answer.kind === 'value') return { kind: 'deleted' }
      return { kind: 'failed', ...failureOf(answer) }
    })
  }

  async #read(index: number): Promise<StoredMessage | 'empty' | SlotFailure> {
    const answer = await ask(this.#executor, readMessage(index), this.#cancellation)
    if (answer.kind === 'value') return answer.value
    // CMS 321, invalid index: the usual answer for an empty slot.
    if (answer.kind === 'refused' && answer.error.code === 321) return 'empty'
    return failureOf(answer)
  }

  async #readAll(usage: MemoryUsage | 'unknown'): Promise<Listing | SlotFailure> {
    const messages: StoredMessage[] = []
    const { used, total } = usage === 'unknown' ? { used: mostSlots, total: mostSlots } : usage
    const first = this.#traits.indexBase
    for (let index = first; index < first + Math.min(total, mostSlots) && messages.length < used; index += 1) {
      const message = await this.#read(index)
      if (message === 'empty') continue
      if (isFailure(message)) {
        if (message.failure === 'refused') continue
        return { usage, messages, complete: false }
      }
      messages.push(message)
    }
    return { usage, messages, complete: true }
  }

  async #selectOnce(memory: Memory): Promise<SlotFailure | undefined> {
    if (this.#selected === memory) return undefined
    const usage = await this.#select(memory)
    return isFailure(usage) ? usage : undefined
  }

  /** Some modems count a message only some time after indicating it (E3531). */
  async #settledUsage(memory: Memory): Promise<MemoryUsage | 'unknown' | SlotFailure> {
    const usage = await this.#select(memory)
    if (this.#traits.usageLagMs === 0 || isFailure(usage) || usage === 'unknown' || usage.used > 0) return usage
    await new Pause(this.#clock).wait(this.#traits.usageLagMs, this.#cancellation)
    return this.#select(memory)
  }

  async #select(memory: Memory): Promise<MemoryUsage | 'unknown' | SlotFailure> {
    const answer = await ask(this.#executor, selectMemories(memory), this.#cancellation)
    if (answer.kind !== 'value') {
      this.#selected = undefined
      return failureOf(answer)
    }
    this.#selected = memory
    const usage = answer.value[0] ?? (await this.#readUsage(memory))
    if (usage === undefined) return 'unknown'
    this.#onUsage(memory, usage)
    return usage
  }

  /** Needed if `+CPMS=` was answered with OK only. */
  async #readUsage(memory: Memory): Promise<MemoryUsage | undefined> {
    const usages = await askIfKnown(this.#executor, readMemoryUsage, this.#cancellation)
    return usages?.find((usage) => usage.memory === memory) ?? usages?.find((usage) => usage.memory === undefined)
  }
}

const reports: Memory = 'SR'
/** More than any known memory holds; a larger total is noise. */
const mostSlots = 512

export interface Listing {
  readonly usage: MemoryUsage | 'unknown'
  readonly messages: readonly StoredMessage[]
  readonly complete: boolean
}

export interface SlotFailure {
  /** `text-mode`: the modem answers as in text mode. */
  readonly failure: 'refused' | 'unanswered' | 'not-sent' | 'text-mode'
  readonly error: CommandError | undefined
}

export type Deletion =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'already-gone' }
  /** Not deleted, because the slot holds another message. */
  | { readonly kind: 'another-message'; readonly found: StoredMessage }
  /**
   * Not deleted yet, because other messages that would be deleted with it (SIM600) were found and are being reported.
   * Call again.
   */
  | { readonly kind: 'deferred' }
  | ({ readonly kind: 'failed' } & SlotFailure)

export function isFailure(value: object | string): value is SlotFailure {
  return typeof value === 'object' && 'failure' in value
}

function failureOf<T>(answer: Exclude<Answer<T>, { kind: 'value' }>): SlotFailure {
  switch (answer.kind) {
    case 'refused':
      return { failure: 'refused', error: answer.error }
    case 'not-sent':
      return { failure: 'not-sent', error: undefined }
    case 'unanswered':
      return { failure: 'unanswered', error: undefined }
    case 'unreadable':
      return { failure: 'text-mode', error: undefined }
  }
}
