/**
 * A map that keeps its `size` most recently used entries, and at most twice as many. When the newer generation is full, it
 * becomes the older one, and the previous older one is dropped whole. Dropping single entries from a JavaScript map takes
 * 40 µs each at 100 000 entries, because the map searches for its first entry among deleted ones.
 *
 * `lru-cache` 11 is as fast (0.3 µs to read, 1 µs to replace an entry), but allocates its capacity at once: 0.24 MB for
 * 10 000 entries, on a gateway that has seven such maps and needs a few entries in each.
 */
export class BoundedMap<Key, Value> {
  readonly #size: number
  #newer = new Map<Key, Value>()
  #older = new Map<Key, Value>()

  constructor(size: number) {
    this.#size = size
  }

  get(key: Key): Value | undefined {
    const value = this.#newer.get(key)
    if (value !== undefined) return value
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: Key, value: Value): void {
    if (this.#newer.size >= this.#size && !this.#newer.has(key)) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#older.delete(key)
    this.#newer.set(key, value)
  }

  delete(key: Key): void {
    this.#newer.delete(key)
    this.#older.delete(key)
  }

  entries(): [Key, Value][] {
    return [...this.#older, ...this.#newer]
  }
}
