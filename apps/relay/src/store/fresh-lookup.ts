// Rows that every request needs (is this token revoked? is this login still right?) without a query for every request.
//
// A row is believed for MAX_AGE_MS after the query that read it began. It is asked for again in the background from
// REFRESH_AGE_MS on, so that a busy row never makes a request wait. Those asked for at the same time share one query, and
// there is one query at a time: however many callers, the database sees a few small ones a second.
import { BoundedMap } from '../limits/bounded-map.ts'

/** Together with a query it stays below the two seconds after which every replica obeys. */
const MAX_AGE_MS = 1_800
const REFRESH_AGE_MS = 1_000

interface FreshLookupNeeds<Value> {
  /** Those of the ids that there are. */
  readonly load: (ids: string[]) => Promise<ReadonlyMap<string, Value>>
  readonly nowMs: () => number
  /** How many rows are kept. */
  readonly size: number
}

export class FreshLookup<Value extends object> {
  readonly #needs: FreshLookupNeeds<Value>
  readonly #rows: BoundedMap<string, { readonly value: Value; readonly askedMs: number }>
  #running: Batch<Value> | undefined
  #next: Batch<Value> | undefined

  constructor(needs: FreshLookupNeeds<Value>) {
    this.#needs = needs
    this.#rows = new BoundedMap(needs.size)
  }

  async get(id: string): Promise<Value | undefined> {
    const row = this.#rows.get(id)
    const ageMs = row ? this.#needs.nowMs() - row.askedMs : Number.POSITIVE_INFINITY
    // A clock that was set back makes no row younger.
    if (!row || ageMs < 0 || ageMs > MAX_AGE_MS) return (await this.#ask(id)).get(id)
    // Its failure is not lost: when the row is too old, the next one waits and fails by itself.
    if (ageMs > REFRESH_AGE_MS) this.#ask(id).catch(() => undefined)
    return row.value
  }

  /** From now on they are read anew: this process has just changed them. */
  forget(matches: (value: Value, id: string) => boolean): void {
    for (const [id, { value }] of [...this.#rows.entries()]) if (matches(value, id)) this.#rows.delete(id)
    // What is being read may have been read before the change.
    if (this.#running) this.#running.outdated = true
  }

  #ask(id: string): Promise<ReadonlyMap<string, Value>> {
    if (this.#running && !this.#running.outdated && this.#running.ids.has(id)) return this.#running.promise
    if (!this.#next) {
      this.#next = newBatch()
      // Those that ask in the same turn join.
      if (!this.#running) queueMicrotask(() => this.#start())
    }
    this.#next.ids.add(id)
    return this.#next.promise
  }

  #start(): void {
    const batch = this.#next
    this.#next = undefined
    this.#running = batch
    if (batch) void this.#load(batch).then(() => this.#start())
  }

  async #load(batch: Batch<Value>): Promise<void> {
    const askedMs = this.#needs.nowMs()
    try {
      const found = await this.#needs.load([...batch.ids])
      if (!batch.outdated) for (const id of batch.ids) this.#store(id, found.get(id), askedMs)
      batch.resolve(found)
    } catch (error) {
      batch.reject(error)
    }
  }

  #store(id: string, value: Value | undefined, askedMs: number): void {
    if (value) this.#rows.set(id, { value, askedMs })
    else this.#rows.delete(id)
  }
}

interface Batch<Value> extends PromiseWithResolvers<ReadonlyMap<string, Value>> {
  readonly ids: Set<string>
  outdated: boolean
}

function newBatch<Value>(): Batch<Value> {
  return { ...Promise.withResolvers<ReadonlyMap<string, Value>>(), ids: new Set(), outdated: false }
}
