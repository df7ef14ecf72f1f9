import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '@smsgw/modem/clock'
import { ChangeWriter } from '../journal/apply-change.ts'
import type { Change, Plan } from '../journal/change.ts'
import { type Journal, JournalError } from '../journal/journal.ts'
import { type Reads, readsOf } from '../journal/read.ts'
import { Retention, type RetentionLimits } from '../journal/retention.ts'
import { schema } from '../journal/schema.ts'

/**
 * The journal's own statements on a database in memory, written when the simulated disk has taken its time. It outlives
 * the processes that use it: each has a session, and what a session that was killed had not written is written or lost,
 * as chance will have it.
 */
export class MemoryJournal {
  readonly #database = new DatabaseSync(':memory:')
  readonly #writer: ChangeWriter
  readonly #retention = new Retention(this.#database)
  readonly #reads: ReturnType<typeof readsOf>
  readonly #clock: Clock
  readonly #chance: () => number
  failReads = false
  /** The last of each command, which the journal forgets when it has ended. */
  readonly plans = new Map<string, Plan>()
  /** For want of room. */
  refuses: (change: Change) => boolean = () => false

  constructor(clock: Clock, chance: () => number, wallMs: () => number) {
    this.#clock = clock
    this.#chance = chance
    this.#database.exec(schema)
    this.#database.exec("INSERT INTO journal (id) VALUES ('journal-1')")
    this.#writer = new ChangeWriter(
      this.#database,
      () => Math.round(wallMs()),
      () => String(chance()),
    )
    this.#reads = readsOf(this.#database)
  }

  close(): void {
    this.#database.close()
  }

  /** No page more than it has; SQLite says so itself. */
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
    /** In order: a disk that is slow for one is slow for those behind it. Reads cost nothing. */
    const workUntil = (last: Waiting) => {
      if (!queue.includes(last)) return
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        next.run(true)
        if (next === last) break
      }
      while (queue[0]?.kind === 'read') queue.shift()?.run(true)
    }
    const journal: Journal = {
      write: (changes) =>
        new Promise((resolve, reject) => {
          if (isDead) return
          const waiting = enqueue('write', (isAlive) => this.#write(changes, isAlive ? { resolve, reject } : undefined))
          this.#clock.after(1 + Math.floor(this.#chance() ** 4 * slowestMs), () => workUntil(waiting))
        }),
      read: (what, ask) =>
        new Promise((resolve, reject) => {
          if (isDead) return
          const run = (isAlive: boolean) => {
            if (isAlive && this.failReads) reject(new JournalError('it cannot be read', 'failed'))
            else if (isAlive) resolve(this.#read(what, ask))
          }
          if (queue.length === 0) run(true)
          else enqueue('read', run)
        }),
      forget: async (limits) => this.#retention.apply(limits),
      confirm: async () => undefined,
      close: async () => undefined,
    }
    const kill = () => {
      isDead = true
      const reached = Math.floor(this.#chance() * (queue.length + 1))
      for (const waiting of queue.splice(0).slice(0, reached)) waiting.run(false)
    }
    return { journal, kill }
  }

  #write(changes: readonly Change[], teller: Teller | undefined): void {
    try {
      const seqs = this.#apply(changes)
      teller?.resolve(seqs)
    } catch (error) {
      teller?.reject(error)
    }
  }

  #apply(changes: readonly Change[]): readonly number[] {
    if (changes.some(this.refuses)) throw new JournalError('no room for it', 'full')
    this.#database.exec('BEGIN')
    try {
      const seqs = changes.flatMap((change) => this.#writer.apply(change) ?? [])
      this.#writer.finish()
      this.#database.exec('COMMIT')
      for (const change of changes) if (change.kind === 'command-planned') this.plans.set(change.cmdId, change.plan)
      return seqs
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

interface Teller {
  readonly resolve: (seqs: readonly number[]) => void
  readonly reject: (error: unknown) => void
}

/** An SD card under load. Mostly it is quick. */
const slowestMs = 2000
