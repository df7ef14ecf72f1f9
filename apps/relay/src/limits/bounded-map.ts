/**
 * A map that drops the least recently used entry when it is full. Its memory grows with its entries. `lru-cache` is as fast,
 * but allocates its capacity at once: 0.2 MB for 10 000 entries, 2.7 MB for 100 000, on a gateway that needs a few.
 */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  readonly #size: number

  constructor(size: number) {
    this.#size = size
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#size) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }

  entries(): IterableIterator<[Key, Value]> {
    return this.#entries.entries()
  }
}
