import type { Clock } from '../clock.ts'
import type { FaultControl } from '../faults/fault-control.ts'
import type { MemoryEntry, MessageMemory } from './message-memory.ts'

/** The storages of a modem by name, with their CPMS usage. */
export class Storages {
  readonly names: readonly string[]
  readonly #byName: ReadonlyMap<string, Storage>
  readonly #clock: Clock
  readonly #faults: FaultControl
  readonly #lagging = new Map<string, { readonly used: number; readonly untilMs: number }>()

  constructor(memories: SingleMemories, clock: Clock, faults: FaultControl) {
    const named = Object.entries(memories).map(([name, memory]) => ({ name, memory }))
    const all = named.map((one) => new Storage(one.name, [one]))
    const joint = named.filter(({ name }) => name === 'ME' || name === 'SM').reverse()
    if (memories.ME) all.push(new Storage('MT', joint))
    this.#byName = new Map(all.map((storage) => [storage.name, storage]))
    this.names = all.map(({ name }) => name)
    this.#clock = clock
    this.#faults = faults
  }

  get(name: string): Storage | undefined {
    return this.#byName.get(name)
  }

  /** Counts a new message, or counts it later if a fault delays the count. */
  countLater(storage: Storage): void {
    const lag = this.#faults.strike('cpms-lag')
    if (lag) this.#lagging.set(storage.name, { used: storage.used - 1, untilMs: this.#clock.nowMs() + lag.lagMs })
  }

  /** `used,total` for CPMS. */
  usage(name: string): string {
    const storage = this.#byName.get(name)
    if (storage === undefined) return '0,0'
    if (this.#faults.standing('storage-full')) return `${storage.capacity},${storage.capacity}`
    const lagging = this.#lagging.get(name)
    if (lagging === undefined) return `${storage.used},${storage.capacity}`
    if (lagging.untilMs > this.#clock.nowMs()) return `${lagging.used},${storage.capacity}`
    this.#lagging.delete(name)
    return `${storage.used},${storage.capacity}`
  }
}

/** The memories that really exist, without MT. */
export type SingleMemories = Partial<Readonly<Record<'SM' | 'ME' | 'SR', MessageMemory>>>

interface NamedMemory {
  readonly name: string
  readonly memory: MessageMemory
}

/**
 * A storage in CPMS: SM, ME or SR, or MT, which combines ME and SM. Its slots are the slots of the first memory,
 * followed by the slots of the second memory.
 */
export class Storage {
  readonly name: string
  readonly #parts: readonly NamedMemory[]

  constructor(name: string, parts: readonly NamedMemory[]) {
    this.name = name
    this.#parts = parts
  }

  get capacity(): number {
    return this.#parts.reduce((sum, { memory }) => sum + memory.capacity, 0)
  }

  get used(): number {
    return this.#parts.reduce((sum, { memory }) => sum + memory.used, 0)
  }

  get full(): boolean {
    return this.#parts.every(({ memory }) => memory.full)
  }

  at(slot: number): MemoryEntry | undefined {
    const found = this.#find(slot)
    return found?.memory.at(found.slot)
  }

  /** Returns the slot of the message, or undefined when the storage is full. */
  store(message: MemoryEntry): number | undefined {
    let from = 0
    for (const { memory } of this.#parts) {
      const slot = memory.store(message)
      if (slot !== undefined) return from + slot
      from += memory.capacity
    }
    return undefined
  }

  replace(slot: number, message: MemoryEntry): void {
    const found = this.#find(slot)
    found?.memory.replace(found.slot, message)
  }

  /** Returns false when the slot was already empty. */
  remove(slot: number): boolean {
    const found = this.#find(slot)
    return found?.memory.remove(found.slot) ?? false
  }

  *entries(): Generator<readonly [number, MemoryEntry]> {
    let from = 0
    for (const { memory } of this.#parts) {
      for (const [slot, message] of memory.entries()) yield [from + slot, message]
      from += memory.capacity
    }
  }

  /** The memory that contains the slot, and the slot in that memory. */
  locate(slot: number): { readonly name: string; readonly slot: number } {
    return this.#find(slot) ?? { name: this.name, slot }
  }

  #find(slot: number): (NamedMemory & { readonly slot: number }) | undefined {
    let from = 0
    for (const part of this.#parts) {
      if (slot < from + part.memory.capacity) return { ...part, slot: slot - from }
      from += part.memory.capacity
    }
    return undefined
  }
}
