// Caches rows that every request needs, for example to find out whether a token was revoked.
//
// A row is valid for MAX_AGE_MS after its query began. After REFRESH_AGE_MS it is read again in the background, so that
// a frequently used row never delays a request. Concurrent reads share one query, and only one query runs at a time. So
// the database gets only a few small queries per second for any number of callers.
import { BoundedMap } from '../limits/bounded-map.ts'

/**
 * Together with the duration of a query, this must be less than two seconds, because every relay must see a change
 * within two seconds.
 */
const MAX_AGE_MS = 1_800
const REFRESH_AGE_MS = 1_000

interface FreshLookupDeps<Value> {
  /** Reads the existing rows with these ids. */
  readonly load: (ids: string[]) => Promise<ReadonlyMap<string, Value>>
  readonly nowMs: () => number
  /** The largest number of cached rows. */
  readonly size: number
}

export class FreshLookup<Value extends object> {
  readonly #deps: FreshLookupDeps<Value>
  readonly #rows: BoundedMap<string, { readonly value: Value; readonly askedMs: number }>
  #running: Batch<Value> | undefined
  #next: Batch<Value> | undefined

  constructor(deps: FreshLookupDeps<Value>) {
    this.#deps = deps
    this.#rows = new BoundedMap(deps.size)
  }

  async get(id: string): Promise<Value | undefined> {
    const row = this.#rows.get(id)
    const ageMs = row ? this.#deps.nowMs() - row.askedMs : Number.POSITIVE_INFINITY
    // A negative age means that the clock was set back, so the actual age is unknown.
    if (!row || ageMs < 0 || ageMs > MAX_AGE_MS) return (await this.#ask(id)).get(id)
    // Ignores a failure. If queries still fail when the row is too old, the next caller waits for a query and gets its
    // error.
    if (ageMs > REFRESH_AGE_MS) this.#ask(id).catch(() => undefined)
    return row.value
  }

  /** Discards matching rows after this process changed them. */
  forget(matches: (value: Value, id: string) => boolean): void {
    for (const [id, { value }] of this.#rows.entries()) if (matches(value, id)) this.#rows.delete(id)
    // A running query may have read the row before the change, so its result is not used.
    if (this.#running) this.#running.outdated = true
  }

  /** Discards one row, without a search through all rows. */
  forgetOne(id: string): void {
    this.#rows.delete(id)
    if (this.#running?.ids.has(id)) this.#running.outdated = true
  }

  #ask(id: string): Promise<ReadonlyMap<string, Value>> {
    if (this.#running && !this.#running.outdated && this.#running.ids.has(id)) return this.#running.promise
    if (!this.#next) {
      this.#next = newBatch()
      // Starts the query later, so that all callers in the same iteration of the event loop share it.
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
    const askedMs = this.#deps.nowMs()
    try {
      const found = await this.#deps.load([...batch.ids])
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
