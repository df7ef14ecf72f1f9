export interface PhonebookEntry {
  readonly name: string
  /** With a leading `+` when international. */
  readonly number: string
}

/** A phonebook of fixed size; the first entry has index 1 (27.007 §8.12). */
export class Phonebook {
  readonly capacity: number
  readonly longestName: number
  #entries = new Map<number, PhonebookEntry>()

  constructor(capacity: number, entries: readonly PhonebookEntry[] = [], longestName = 14) {
    this.capacity = capacity
    this.longestName = longestName
    for (const entry of entries.slice(0, capacity)) this.#entries.set(this.#entries.size + 1, entry)
  }

  get used(): number {
    return this.#entries.size
  }

  at(index: number): PhonebookEntry | undefined {
    return this.#entries.get(index)
  }

  /**
   * Without `index`, writes to the first free index. Returns false if the index does not exist or the phonebook is
   * full.
   */
  write(index: number | undefined, entry: PhonebookEntry): boolean {
    const place = index ?? this.#firstFree()
    if (place === undefined || place < 1 || place > this.capacity) return false
    this.#entries.set(place, entry)
    return true
  }

  remove(index: number): boolean {
    if (index < 1 || index > this.capacity) return false
    this.#entries.delete(index)
    return true
  }

  between(first: number, last: number): [number, PhonebookEntry][] {
    return [...this.#entries].filter(([index]) => index >= first && index <= last).sort(([a], [b]) => a - b)
  }

  find(text: string): [number, PhonebookEntry][] {
    const wanted = text.toLowerCase()
    return this.between(1, this.capacity).filter(([, entry]) => entry.name.toLowerCase().startsWith(wanted))
  }

  nameOf(number: string): string | undefined {
    for (const entry of this.#entries.values()) if (entry.number === number) return entry.name
    return undefined
  }

  #firstFree(): number | undefined {
    for (let index = 1; index <= this.capacity; index++) if (!this.#entries.has(index)) return index
    return undefined
  }
}
