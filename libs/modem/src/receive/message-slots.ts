import type { Cancellation } from '../cancellation.ts'
import type { Clock } from '../clock.ts'
import { type Memory, type MemoryUsage, readMemoryUsage, selectMemories } from '../commands/messages/message-storage.ts'
import {
  deleteStoredMessage,
  listStoredMessages,
  readMessage,
  type StoredPdu,
} from '../commands/messages/stored-messages.ts'
import { askIfKnown, type Executor, type Query, type QueryAnswer, runQuery } from '../commands/query.ts'
import type { CommandError } from '../dialogue/errors/command-error.ts'
import { Pause } from '../pause.ts'
import type { StorageTraits } from '../profiles/profile.ts'
import { TaskQueue } from '../task-queue.ts'

interface MessageSlotsOptions {
  readonly executor: Executor
  readonly clock: Clock
  readonly traits: StorageTraits
  readonly memorySelectable: boolean
  /** Another program uses the same modem and may select another memory at any time. */
  readonly isShared: boolean
  readonly cancellation: Cancellation
  readonly onUsage: (memory: Memory, usage: MemoryUsage) => void
}

/**
 * The messages in the SIM and the modem. All commands use the memory that was selected last, so the selection of a
 * memory and the commands for this memory run as one task. A submission may run in the middle of a task, because it
 * does not use a memory.
 *
 * An object of this class is valid for one session, because a modem loses the selection when it restarts.
 */
export class MessageSlots {
  readonly #options: MessageSlotsOptions
  readonly #tasks = new TaskQueue()
  #tasksOpen = 0
  #selected: Memory | undefined
  /** The memory that is selected whenever no task is left. */
  #usual: Memory | undefined
  /** The number of listings that were not answered at all. */
  #silentListings = 0
  /** By memory: the number of listings that were refused one after the other. */
  readonly #refusedListings = new Map<Memory, number>()
  /** True if `AT+CMGR` does not work, so that messages are found by listing. */
  #indexUnreadable = false

  constructor(options: MessageSlotsOptions) {
    this.#options = options
  }

  read(memory: Memory, index: number): Promise<StoredPdu | 'empty' | SlotFailure> {
    return this.#run(
      async () => (await this.#selectOnce(memory)) ?? (this.#indexUnreadable ? this.#find(index) : this.#read(index)),
    )
  }

  /**
   * Lists all messages. If the modem stops answering during the listing, returns the messages that have arrived. A
   * memory reported as empty is normally not listed, because some firmware hangs after hours of listing. With
   * `thorough`, such a memory is listed too, because some firmware counts wrongly.
   */
  list(memory: Memory, { thorough }: { readonly thorough: boolean }): Promise<Listing | SlotFailure> {
    return this.#run(async () => {
      const usage = await this.#settledUsage(memory)
      if (isFailure(usage)) return usage
      if (usage !== 'unknown' && usage.used === 0 && !thorough) return { usage, messages: [], complete: true }
      const { notListable } = this.#options.traits
      if (notListable.includes(memory) || this.#silentListings >= mostSilentListings) return this.#readAll(usage)
      const answer = await this.#ask(listStoredMessages)
      switch (answer.kind) {
        case 'value':
          this.#silentListings = 0
          this.#refusedListings.delete(memory)
          return { usage, messages: answer.value, complete: true }
        case 'refused':
          // Reads the messages by index, because some memories cannot be listed (SR of the DWM-156), and some firmware
          // refuses every listing while the memory contains one message that it cannot read.
          if (isUnsupported(answer.error) || memory === reports || this.#isRefusedAgain(memory))
            return this.#readAll(usage)
          return failureOf(answer)
        case 'unanswered':
          if (answer.why === 'timeout' && (answer.partial ?? []).length === 0) this.#silentListings += 1
          return { usage, messages: answer.partial ?? [], complete: false }
        case 'unreadable':
        case 'not-sent':
          return failureOf(answer)
      }
    })
  }

  #isRefusedAgain(memory: Memory): boolean {
    const refused = (this.#refusedListings.get(memory) ?? 0) + 1
    this.#refusedListings.set(memory, refused)
    return refused > mostRefusedListings
  }

  /**
   * Deletes a message only if it is still in the slot. The modem reuses a free index at once, so a repeated deletion
   * could delete a newer message.
   */
  delete(memory: Memory, index: number, pdu: string): Promise<Deletion> {
    return this.#run(async () => {
      const failed = await this.#selectOnce(memory)
      if (failed) return { kind: 'failed', ...failed }
      const found = await this.#find(index)
      if (found === 'empty') return { kind: 'already-gone' }
      if (isFailure(found)) return { kind: 'failed', ...found }
      if (found.pdu !== pdu.toUpperCase()) return { kind: 'another-message', found }
      const answer = await this.#ask(deleteStoredMessage(index))
      if (answer.kind === 'value') return { kind: 'deleted' }
      return { kind: 'failed', ...failureOf(answer) }
    })
  }

  /** Runs the task while the memory is selected. Does not run the task if the memory cannot be selected. */
  whileSelected(memory: Memory, task: () => Promise<void>): Promise<void> {
    return this.#run(async () => {
      if ((await this.#selectOnce(memory)) === undefined) await task()
    })
  }

  /**
   * Selects this memory again whenever no task is left, because another program or port may have changed the shared
   * selection.
   */
  keepSelected(memory: Memory): void {
    this.#usual = memory
    void this.#run(async () => undefined)
  }

  #run<T>(task: () => Promise<T>): Promise<T> {
    this.#tasksOpen += 1
    return this.#tasks.run(async () => {
      try {
        return await task()
      } finally {
        this.#tasksOpen -= 1
        if (this.#tasksOpen === 0 && this.#usual !== undefined) await this.#selectOnce(this.#usual)
      }
    })
  }

  /** Reads the message, or finds it in a listing if the modem cannot read by index. */
  async #find(index: number): Promise<StoredPdu | 'empty' | SlotFailure> {
    const read = this.#indexUnreadable ? undefined : await this.#read(index)
    const unreadable = read === undefined || (isFailure(read) && cannotRead(read))
    if (read !== undefined && !unreadable) return read
    const answer = await this.#ask(listStoredMessages)
    if (answer.kind !== 'value') return read ?? failureOf(answer)
    const listed = answer.value.find((message) => message.index === index)
    // Some firmware also answers with an error for an empty slot.
    if (listed !== undefined) this.#indexUnreadable = true
    return listed ?? 'empty'
  }

  async #read(index: number): Promise<StoredPdu | 'empty' | SlotFailure> {
    const answer = await this.#ask(readMessage(index))
    if (answer.kind === 'value') return answer.value
    // CMS 321, invalid index: the usual answer for an empty slot.
    if (answer.kind === 'refused' && answer.error.code === 321) return 'empty'
    return failureOf(answer)
  }

  async #readAll(usage: MemoryUsage | 'unknown'): Promise<Listing | SlotFailure> {
    const messages: StoredPdu[] = []
    let complete = true
    const { used, total } = usage === 'unknown' ? { used: mostSlots, total: mostSlots } : usage
    const first = this.#options.traits.indexBase
    for (let index = first; index < first + Math.min(total, mostSlots) && messages.length < used; index += 1) {
      const message = await this.#read(index)
      if (message === 'empty') continue
      if (isFailure(message)) {
        if (message.failure !== 'refused') return { usage, messages, complete: false }
        // A busy SIM may hold a message in this slot. Any other error also means an empty or damaged slot.
        if (message.error?.class === 'temporary') complete = false
        continue
      }
      messages.push(message)
    }
    return { usage, messages, complete }
  }

  /**
   * Runs a query in the selected memory. If another program may select another memory, the selection and the query are
   * one command line, which the modem executes without interruption (V.250 §5.2.1). A modem that refuses such a line
   * receives two commands instead.
   */
  async #ask<T>(query: Query<T>): Promise<QueryAnswer<T>> {
    if (this.#options.isShared && this.#selected !== undefined) {
      const text = `${selectMemories(this.#selected).text};${query.text.slice('AT'.length)}`
      const answer = await runQuery(this.#options.executor, { ...query, text }, this.#options.cancellation)
      if (answer.kind !== 'refused' || !isUnsupported(answer.error)) return answer
      const selected = await this.#select(this.#selected)
      if (isFailure(selected)) return answer
    }
    return runQuery(this.#options.executor, query, this.#options.cancellation)
  }

  async #selectOnce(memory: Memory): Promise<SlotFailure | undefined> {
    if (this.#selected === memory || !this.#options.memorySelectable) return undefined
    const usage = await this.#select(memory)
    return isFailure(usage) ? usage : undefined
  }

  /** Reads the usage again after a pause, because some modems (E3531) announce a message before they count it. */
  async #settledUsage(memory: Memory): Promise<MemoryUsage | 'unknown' | SlotFailure> {
    const usage = await this.#select(memory)
    if (this.#options.traits.usageLagMs === 0 || isFailure(usage) || usage === 'unknown' || usage.used > 0) return usage
    await new Pause(this.#options.clock).wait(this.#options.traits.usageLagMs, this.#options.cancellation)
    return this.#select(memory)
  }

  async #select(memory: Memory): Promise<MemoryUsage | 'unknown' | SlotFailure> {
    if (!this.#options.memorySelectable) return this.#currentUsage(memory)
    const answer = await runQuery(this.#options.executor, selectMemories(memory), this.#options.cancellation)
    if (answer.kind !== 'value') {
      this.#selected = undefined
      return failureOf(answer)
    }
    this.#selected = memory
    const [usage] = answer.value
    if (usage === undefined) return this.#currentUsage(memory)
    this.#options.onUsage(memory, usage)
    return usage
  }

  /** Needed if `+CPMS=` was answered with OK only, or is not supported. */
  async #currentUsage(memory: Memory): Promise<MemoryUsage | 'unknown'> {
    const usage = await this.#readUsage(memory)
    if (usage !== undefined) this.#options.onUsage(memory, usage)
    return usage ?? 'unknown'
  }

  async #readUsage(memory: Memory): Promise<MemoryUsage | undefined> {
    const usages = await askIfKnown(this.#options.executor, readMemoryUsage, this.#options.cancellation)
    return usages?.find((usage) => usage.memory === memory) ?? usages?.find((usage) => usage.memory === undefined)
  }
}

/**
 * A bare ERROR mostly means that the command does not exist. CMS 303, "operation not supported", has the class
 * `permanent`.
 */
function isUnsupported(error: CommandError | undefined): boolean {
  if (error === undefined) return false
  return error.code === undefined ? error.class !== 'temporary' : ['unsupported', 'permanent'].includes(error.class)
}

function cannotRead({ failure, error }: SlotFailure): boolean {
  return failure === 'unanswered' || (failure === 'refused' && isUnsupported(error))
}

const reports: Memory = 'SR'
/** After this number of silent listings, messages are read by index. */
const mostSilentListings = 2
/** After this number of refused listings, which a busy SIM does not explain, messages are read by index. */
const mostRefusedListings = 2
/** The largest number of slots. No known memory is larger, so a larger number is noise. */
const mostSlots = 512

export interface Listing {
  readonly usage: MemoryUsage | 'unknown'
  readonly messages: readonly StoredPdu[]
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
  /** The message was not deleted, because the slot contains another message. */
  | { readonly kind: 'another-message'; readonly found: StoredPdu }
  /**
   * The message was not deleted yet, because the modem (SIM600) would also delete other messages, which are reported
   * first. The caller must call again.
   */
  | { readonly kind: 'deferred' }
  | ({ readonly kind: 'failed' } & SlotFailure)

export function isFailure(value: object | string): value is SlotFailure {
  return typeof value === 'object' && 'failure' in value
}

function failureOf<T>(answer: Exclude<QueryAnswer<T>, { kind: 'value' }>): SlotFailure {
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
