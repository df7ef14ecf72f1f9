import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '@smsgw/modem/clock'
import { ChangeWriter, encodedChange, type WrittenChanges } from '../journal/apply-change.ts'
import type { Change, Plan } from '../journal/change.ts'
import { type Journal, JournalError } from '../journal/journal.ts'
import { type Reads, readsOf } from '../journal/read.ts'
import { JournalRetention, type RetentionLimits } from '../journal/retention.ts'
import { schema } from '../journal/schema.ts'

/**
 * Runs the statements of the journal on a database in memory, with the delays of a simulated disk. The database
 * survives the end of a simulated process. Each process has a session; a killed session loses a random part of its
 * pending writes.
 */
export class MemoryJournal {
  readonly #database = new DatabaseSync(':memory:')
  readonly #writer: ChangeWriter
  readonly #retention = new JournalRetention(this.#database)
  readonly #reads: ReturnType<typeof readsOf>
  readonly #clock: Clock
  readonly #random: () => number
  failReads = false
  /** The last plan of each command; the journal deletes it when the command has ended. */
  readonly plans = new Map<string, Plan>()
  /** Returns true for each change that the journal must refuse, as if the disk were full. */
  refuses: (change: Change) => boolean = () => false

  constructor(clock: Clock, random: () => number, wallMs: () => number) {
    this.#clock = clock
    this.#random = random
    this.#database.exec(schema)
    this.#database.exec("INSERT INTO journal (id) VALUES ('journal-1')")
    this.#writer = new ChangeWriter(
      this.#database,
      () => Math.round(wallMs()),
      () => String(random()),
    )
    this.#reads = readsOf(this.#database)
  }

  close(): void {
    this.#database.close()
  }

  /** If true, the database cannot grow, and SQLite returns the real error. */
  set isFull(isFull: boolean) {
    const [{ page_count: pages } = {}] = this.#database.prepare('PRAGMA page_count').all()
    this.#database.exec(`PRAGMA max_page_count = ${isFull ? Number(pages) : 1_000_000_000}`)
  }

  forget(limits: RetentionLimits): void {
    this.#retention.apply(limits)
  }

  session(): { readonly journal: Journal; readonly kill: () => void } {
    const queue: Waiting[] = []
    let isDead = false
    const enqueue = (kind: Waiting['kind'], run: (isAlive: boolean) => void) => {
      const waiting = { kind, run }
      queue.push(waiting)
      return waiting
    }
    /** Processes requests in order, so a slow write delays later requests. Reads take no time. */
    const workUntil = (last: Waiting) => {
      if (!queue.includes(last)) return
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        next.run(true)
        if (next === last) break
      }
      while (queue[0]?.kind === 'read') queue.shift()?.run(true)
    }
    const journal: Journal = {
      write: (changes, { unlessReceived } = {}) =>
        new Promise((resolve, reject) => {
          if (isDead) return
          const write = { changes, unlessReceived }
          const waiting = enqueue('write', (isAlive) => this.#write(write, isAlive ? { resolve, reject } : undefined))
          this.#clock.after(1 + Math.floor(this.#random() ** 4 * slowestMs), () => workUntil(waiting))
        }),
      read: (what, ask) =>
        new Promise((resolve, reject) => {
          if (isDead) return
          const run = (isAlive: boolean) => {
            if (isAlive && this.failReads) reject(new JournalError('the journal cannot be read', 'failed'))
            else if (isAlive) resolve(this.#read(what, ask))
          }
          if (queue.length === 0) run(true)
          else enqueue('read', run)
        }),
      eventTexts: (from, most) => journal.read('event-texts', { from, most }),
      forget: async (limits) => this.#retention.apply(limits),
      confirm: async () => undefined,
      close: async () => undefined,
    }
    const kill = () => {
      isDead = true
      const reached = Math.floor(this.#random() * (queue.length + 1))
      for (const waiting of queue.splice(0).slice(0, reached)) waiting.run(false)
    }
    return { journal, kill }
  }

  #write(write: Write, caller: Caller | undefined): void {
    try {
      const written = this.#apply(write)
      caller?.resolve(written)
    } catch (error) {
      caller?.reject(error)
    }
  }

  #apply({ changes, unlessReceived }: Write): WrittenChanges {
    if (changes.some(this.refuses)) throw new JournalError('the disk is full', 'full')
    this.#database.exec('BEGIN')
    try {
      const written = this.#writer.write(changes.map(encodedChange), unlessReceived)
      this.#writer.finish()
      this.#database.exec('COMMIT')
      for (const change of changes) if (change.kind === 'command-planned') this.plans.set(change.cmdId, change.plan)
      return written
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      this.#writer.forget()
      const isFull = error instanceof Error && 'errcode' in error && error.errcode === 13
      throw new JournalError(String(error), isFull ? 'full' : 'refused')
    }
  }

  #read<What extends keyof Reads>(what: What, ask: Reads[What]['ask']): Reads[What]['answer'] {
    return this.#reads[what](ask as never) as Reads[What]['answer']
  }
}

interface Waiting {
  readonly kind: 'write' | 'read'
  readonly run: (isAlive: boolean) => void
}

interface Write {
  readonly changes: readonly Change[]
  readonly unlessReceived: string | undefined
}

interface Caller {
  readonly resolve: (written: WrittenChanges) => void
  readonly reject: (error: unknown) => void
}

/** The duration of the slowest write of an SD card under load. Most writes are much faster. */
const slowestMs = 2000
