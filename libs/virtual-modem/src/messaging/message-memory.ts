/** 27.005 §3.1 `<stat>`, by its number in PDU mode. */
export const receivedUnread = 0
export const receivedRead = 1
export const storedUnsent = 2
export const storedSent = 3
export type MemoryState = 0 | 1 | 2 | 3

export interface MemoryEntry {
  state: MemoryState
  /** Service centre address and TPDU, as in PDU mode. */
  readonly pdu: Uint8Array
  /** The kind of message. The first octet alone does not determine it, because its meaning depends on the direction. */
  readonly kind: 'deliver' | 'submit' | 'status-report' | 'command' | 'broadcast'
}

/** The slots of SM, ME or SR, counted from 0; the modem adds the first index of its family. */
export class MessageMemory {
  readonly capacity: number
  used = 0
  #slots: (MemoryEntry | undefined)[]
  #whenFreed: (() => void) | undefined

  constructor(capacity: number) {
    this.capacity = capacity
    this.#slots = new Array<MemoryEntry | undefined>(capacity).fill(undefined)
  }

  get full(): boolean {
    return this.used >= this.capacity
  }

  at(slot: number): MemoryEntry | undefined {
    return this.#slots[slot]
  }

  /** Returns the slot of the message, or undefined when the memory is full. */
  store(message: MemoryEntry): number | undefined {
    const slot = this.#slots.indexOf(undefined)
    if (slot < 0) return undefined
    this.#slots[slot] = message
    this.used += 1
    return slot
  }

  replace(slot: number, message: MemoryEntry): void {
    if (this.#slots[slot] !== undefined) this.#slots[slot] = message
  }

  /** Returns false when the slot was already empty. */
  remove(slot: number): boolean {
    if (this.#slots[slot] === undefined) return false
    this.#slots[slot] = undefined
    this.used -= 1
    this.#whenFreed?.()
    return true
  }

  /** Returns every message with its slot, lowest slot first. */
  *entries(): Generator<readonly [number, MemoryEntry]> {
    for (let slot = 0; slot < this.capacity; slot++) {
      const message = this.#slots[slot]
      if (message) yield [slot, message]
    }
  }

  /** Sets the only listener: the modem that uses the memory. */
  whenFreed(run: (() => void) | undefined): void {
    this.#whenFreed = run
  }
}
