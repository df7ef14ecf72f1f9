// Inbound path, step 4: commits PDU and event together. Next: relay-link.ts.

import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describeDiskOf } from '@smsgw/daemon/files/disk-space'
import { encodedChange, type WrittenChanges } from './apply-change.ts'
import type { BootMemory } from './boot-mark.ts'
import type { Change } from './change.ts'
import { FreshEvents } from './fresh-events.ts'
import type { JournalReply, JournalRequest, WorkerStart } from './journal-worker.ts'
import type { EventTexts, Marks, Reads } from './read.ts'
import type { Removed, RetentionLimits } from './retention.ts'

/**
 * The database of the agent. When `write` resolves, the changes are on disk, so that nothing is lost and nothing is
 * sent twice. The changes of one call are written together or not at all. Calls that are made while the disk is busy
 * share one commit.
 *
 *     await journal.write([{ kind: 'part-committed', … }])       before the PDU
 *     await journal.write([{ kind: 'part-result', … }, { kind: 'event', … }])
 *
 * `close` completes all calls, including calls that callers make after a reply. When the worker dies, every call fails
 * and `onLost` is called, because an agent must not run without its journal.
 */
export interface Journal {
  /** Rejects with a JournalError when nothing was written. */
  write(changes: readonly Change[], options?: WriteOptions): Promise<WrittenChanges>
  read<What extends keyof Reads>(what: What, ask: Reads[What]['ask']): Promise<Reads[What]['answer']>
  /**
   * Returns the events whose number is `from` or higher. Events that were just written are returned without a read of
   * the database.
   */
  eventTexts(from: number, most: number): Promise<EventTexts>
  /** Removes finished records and the content of acknowledged events when they are old enough. */
  forget(limits: RetentionLimits): Promise<Removed>
  /**
   * Stores whether the relay confirmed that this journal is not an old copy. The confirmation is lost when the machine
   * is switched off.
   */
  confirm(isConfirmed: boolean): Promise<void>
  close(): Promise<void>
}

export interface WriteOptions {
  /**
   * How long the write may be delayed, so that it shares the commit of another write. Without it, the write is not
   * delayed.
   */
  readonly mayWaitMs?: number
  /** Writes nothing if the journal already has the PDU with this id. */
  readonly unlessReceived?: string
}

/**
 * The delay of a write that nothing waits for. Each message that is sent causes a commit, which this write can share.
 */
export const sharedCommitWaitMs = 25

export interface OpenedJournal {
  readonly journal: Journal
  readonly marks: Marks
  /** True at the first start, and after the journal was deleted. */
  readonly isNew: boolean
  /** The path to which a broken journal was moved. */
  readonly broken: { readonly movedTo: string; readonly why: string } | undefined
  /**
   * True if the journal cannot be an old copy: the relay confirmed it, and it is in the state in which the last process
   * left it.
   */
  readonly isContinued: boolean
  /** Milliseconds until a small write is on disk. */
  readonly fsyncMs: number
}

export class JournalError extends Error {
  override readonly name = 'JournalError'
  /**
   * `full`: the disk is full; `closed`: called after `close`; `refused`: the changes violate a constraint, so retrying
   * is useless; `failed`: any other error.
   */
  readonly reason: 'full' | 'closed' | 'refused' | 'failed'

  constructor(message: string, reason: JournalError['reason']) {
    super(message)
    this.reason = reason
  }
}

export async function openJournal(options: JournalOptions): Promise<OpenedJournal> {
  const workerData: WorkerStart = { path: options.path, newJournalId: options.newJournalId, memory: options.memory }
  const worker = new Worker(workerFile(), { workerData, resourceLimits: { maxYoungGenerationSizeMb: 1 } })
  const thread = new JournalThread(worker, options)
  const start = (await thread.started) as Omit<OpenedJournal, 'journal'>
  return { journal: thread, ...start }
}

export interface JournalOptions {
  readonly path: string
  /** The id for a journal that has to be created. */
  readonly newJournalId: string
  /**
   * The memory for the mark. Without a mark, only the relay can detect after a restart that the journal is an old copy.
   */
  readonly memory?: BootMemory | undefined
  /** Called when the thread has died, so that nothing can be written. */
  readonly onLost: (error: Error) => void
  /** Called when events up to this number are on disk. */
  readonly onEvents?: (tail: number) => void
  /**
   * Returns the trusted time, or undefined while the clock is not trusted. An event without a time gets its time in the
   * next call of `forget`.
   */
  readonly nowMs?: () => number | undefined
}

class JournalThread implements Journal {
  readonly started: Promise<unknown>
  readonly #worker: Worker
  readonly #path: string
  readonly #onEvents: (tail: number) => void
  readonly #nowMs: () => number | undefined
  readonly #freshEvents = new FreshEvents()
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  #lastId = 0
  /**
   * The requests that are delayed briefly. So the RESULT of one message and the COMMIT of the next message are written
   * in one database transaction.
   */
  #held: JournalRequest[] = []
  #release: NodeJS.Timeout | undefined
  #releaseAtMs = Number.POSITIVE_INFINITY
  /**
   * The last request of each post that is not answered yet. If there is more than one, the thread already has its next
   * work. Then the requests of one turn of the event loop are posted together, because a post costs both threads time.
   */
  #unanswered: number[] = []
  #posting: NodeJS.Immediate | undefined
  #over: JournalError | undefined

  constructor(worker: Worker, { path, onLost, onEvents, nowMs }: JournalOptions) {
    this.#worker = worker
    this.#path = path
    this.#onEvents = onEvents ?? (() => undefined)
    this.#nowMs = nowMs ?? (() => undefined)
    this.started = this.#reply(0)
    worker.on('message', (replies: readonly JournalReply[]) => {
      // The thread answers all requests of a post at once, but not in their order.
      const last = Math.max(...replies.map(({ id }) => id))
      this.#unanswered = this.#unanswered.filter((id) => id > last)
      for (const reply of replies) this.#take(reply)
    })
    worker.on('error', (error) => this.#end(error, onLost))
    worker.on('exit', () => this.#end(new Error('the journal thread ended'), onLost))
  }

  async write(changes: readonly Change[], options: WriteOptions = {}): Promise<WrittenChanges> {
    const { mayWaitMs = 0, unlessReceived } = options
    const encoded = changes.map(encodedChange)
    const written = await this.#ask<WrittenChanges>(
      { kind: 'write', changes: encoded, unlessReceived, nowMs: this.#nowMs() },
      mayWaitMs,
    )
    if (written.wasReceived === true) return written
    this.#freshEvents.add(changes, encoded, written)
    const tail = written.seqs.at(-1)
    if (tail !== undefined) this.#onEvents(tail)
    return written
  }

  read<What extends keyof Reads>(what: What, ask: Reads[What]['ask']): Promise<Reads[What]['answer']> {
    return this.#ask({ kind: 'read', what, ask: ask as never })
  }

  async eventTexts(from: number, most: number): Promise<EventTexts> {
    return this.#freshEvents.read(from, most) ?? (await this.read('event-texts', { from, most }))
  }

  forget(limits: RetentionLimits): Promise<Removed> {
    this.#freshEvents.clear()
    return this.#ask({ kind: 'forget', limits })
  }

  confirm(isConfirmed: boolean): Promise<void> {
    return this.#ask({ kind: 'confirm', isConfirmed })
  }

  async close(): Promise<void> {
    await this.#complete()
    if (this.#over) return
    const closed = this.#ask({ kind: 'close' })
    this.#over = new JournalError('the journal is closed', 'closed')
    await closed
    await this.#worker.terminate()
  }

  /** Completes all calls. A caller may make another call after a reply, so these calls are completed too. */
  async #complete(): Promise<void> {
    for (let round = 0; round < mostRounds && this.#waiting.size > 0; round += 1) {
      // Replies arrive in order, so all earlier calls have been answered. A failed call was reported to its caller.
      await this.read('marks', {}).catch(() => undefined)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #ask<T>(request: RequestBody, mayWaitMs = 0): Promise<T> {
    if (this.#over) return Promise.reject(this.#over)
    const id = ++this.#lastId
    this.#held.push({ id, ...request } as JournalRequest)
    if (mayWaitMs > 0) this.#hold(mayWaitMs)
    else if (this.#unanswered.length > 1) this.#posting ??= setImmediate(() => this.#post())
    else this.#post()
    return this.#reply(id)
  }

  /** Writes all held changes as soon as one of them must not wait longer. */
  #hold(mayWaitMs: number): void {
    const atMs = performance.now() + mayWaitMs
    if (this.#releaseAtMs <= atMs) return
    clearTimeout(this.#release)
    this.#release = setTimeout(() => this.#post(), mayWaitMs)
    this.#releaseAtMs = atMs
  }

  #post(): void {
    clearTimeout(this.#release)
    clearImmediate(this.#posting)
    this.#posting = undefined
    this.#releaseAtMs = Number.POSITIVE_INFINITY
    this.#unanswered.push(this.#lastId)
    this.#worker.postMessage(this.#held)
    this.#held = []
  }

  #reply<T>(id: number): Promise<T> {
    return new Promise<T>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  #take(reply: JournalReply): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (reply.kind === 'done') waiting?.resolve(reply.value as never)
    else waiting?.reject(journalError(reply, this.#path))
  }

  #end(error: Error, onLost: (error: Error) => void): void {
    clearTimeout(this.#release)
    clearImmediate(this.#posting)
    const wanted = this.#over !== undefined
    this.#over ??= new JournalError(`the journal cannot be used: ${error.message}`, 'failed')
    const over = this.#over
    const hadStarted = !this.#waiting.has(0)
    for (const { reject } of this.#waiting.values()) reject(over)
    this.#waiting.clear()
    if (!wanted && hadStarted) onLost(over)
  }
}

/** With this limit, a caller that never stops making calls cannot prevent the stop. */
const mostRounds = 100

type RequestBody = JournalRequest extends infer Each ? (Each extends JournalRequest ? Omit<Each, 'id'> : never) : never

function journalError(
  { message, errcode, isRefused }: Extract<JournalReply, { kind: 'failed' }>,
  path: string,
): JournalError {
  if (isRefused) return new JournalError(`the journal refused a change: ${message}`, 'refused')
  // SQLITE_FULL
  if (((errcode ?? 0) & 0xff) === 13) {
    return new JournalError(
      `the disk is full: ${describeDiskOf(dirname(path))}. Free disk space; the agent keeps retrying`,
      'full',
    )
  }
  return new JournalError(`the journal could not be written: ${message}`, 'failed')
}

/** Returns the size of the journal on its disk, including the write-ahead log. */
export function journalBytes(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
}

/** The worker is in the same folder as this file, both in the build and in the sources. */
function workerFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./journal-worker.${extension}`, import.meta.url)
}
