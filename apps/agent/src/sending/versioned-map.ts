/**
 * An immutable map. A change creates a new version without copying the entries. Only the newest version has the
 * entries. An older version knows how it differs from the next one, and makes its own copy of the entries when it is
 * read.
 *
 *   newest ── with(), without() ──► older ── read ──► newest of its own versions
 *
 * A changed entry keeps its position. If an older version is copied, entries that were removed later are at the end of
 * the copy.
 */
export class VersionedMap<K, V> implements ReadonlyMap<K, V> {
  /** Undefined in an older version. */
  #entries: Map<K, V> | undefined
  #newer: { readonly version: VersionedMap<K, V>; readonly undo: (entries: Map<K, V>) => void } | undefined

  /** The caller must not change the entries afterwards. */
  constructor(entries = new Map<K, V>()) {
    this.#entries = entries
  }

  with(key: K, value: V): VersionedMap<K, V> {
    const entries = this.#own()
    const undo = undoOf(entries, key)
    entries.set(key, value)
    return this.#changed(entries, undo)
  }

  without(key: K): VersionedMap<K, V> {
    const entries = this.#own()
    if (!entries.has(key)) return this
    const undo = undoOf(entries, key)
    entries.delete(key)
    return this.#changed(entries, undo)
  }

  get size(): number {
    return this.#own().size
  }

  get(key: K): V | undefined {
    return this.#own().get(key)
  }

  has(key: K): boolean {
    return this.#own().has(key)
  }

  keys(): MapIterator<K> {
    return this.#own().keys()
  }

  values(): MapIterator<V> {
    return this.#own().values()
  }

  entries(): MapIterator<[K, V]> {
    return this.#own().entries()
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries()
  }

  forEach(each: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this.entries()) each(value, key, this)
  }

  #changed(entries: Map<K, V>, undo: (entries: Map<K, V>) => void): VersionedMap<K, V> {
    const version = new VersionedMap(entries)
    this.#entries = undefined
    this.#newer = { version, undo }
    return version
  }

  #own(): Map<K, V> {
    if (this.#entries !== undefined) return this.#entries
    const undos: ((entries: Map<K, V>) => void)[] = []
    let newest: VersionedMap<K, V> = this
    while (newest.#newer !== undefined) {
      undos.push(newest.#newer.undo)
      newest = newest.#newer.version
    }
    const entries = new Map(newest.#entries)
    for (const undo of undos.reverse()) undo(entries)
    this.#entries = entries
    this.#newer = undefined
    return entries
  }
}

/** Returns a function that sets the key back to its present value, or removes it if it has no value. */
function undoOf<K, V>(entries: ReadonlyMap<K, V>, key: K): (entries: Map<K, V>) => void {
  if (!entries.has(key)) return (later) => later.delete(key)
  const value = entries.get(key) as V
  return (later) => later.set(key, value)
}
