import type { Clock } from '../clock.ts'
import type { FaultControl } from '../faults/fault-control.ts'
import type { MemoryEntry, MessageMemory } from './message-memory.ts'

/** A storage in CPMS: SM, ME, SR, or MT, which combines ME and SM. */
export interface Storage {
  readonly name: string
  readonly capacity: number
  readonly used: number
  readonly full: boolean
  at(slot: number): MemoryEntry | undefined
  store(message: MemoryEntry): number | undefined
  replace(slot: number, message: MemoryEntry): void
  remove(slot: number): boolean
  entries(): Iterable<readonly [number, MemoryEntry]>
  /** The memory that contains the slot, and the slot in that memory. */
  locate(slot: number): { readonly name: string; readonly slot: number }
}

/** The storages of a modem by name, with their CPMS usage. */
export class Storages {
  readonly names: readonly string[]
  readonly #byName: ReadonlyMap<string, Storage>
  readonly #clock: Clock
  readonly #faults: FaultControl
  readonly #lagging = new Map<string, { readonly used: number; readonly untilMs: number }>()

  constructor(memories: SingleMemories, clock: Clock, faults: FaultControl) {
    const single = Object.entries(memories).map(([name, memory]) => new NamedStorage(name, memory))
    const joint = single.filter(({ name }) => name === 'ME' || name === 'SM').reverse()
    const all: Storage[] = memories.ME ? [...single, new JointStorage(joint)] : single
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

class NamedStorage implements Storage {
  readonly name: string
  readonly #memory: MessageMemory

  constructor(name: string, memory: MessageMemory) {
    this.name = name
    this.#memory = memory
  }

  get capacity(): number {
    return this.#memory.capacity
  }

  get used(): number {
    return this.#memory.used
  }

  get full(): boolean {
    return this.#memory.full
  }

  at(slot: number): MemoryEntry | undefined {
    return this.#memory.at(slot)
  }

  store(message: MemoryEntry): number | undefined {
    return this.#memory.store(message)
  }

  replace(slot: number, message: MemoryEntry): void {
    this.#memory.replace(slot, message)
  }

  remove(slot: number): boolean {
    return this.#memory.remove(slot)
  }

  entries(): Iterable<readonly [number, MemoryEntry]> {
    return this.#memory.entries()
  }

  locate(slot: number): { readonly name: string; readonly slot: number } {
    return { name: this.name, slot }
  }
}

/** The slots of the first memory, followed by the slots of the second memory. */
class JointStorage implements Storage {
  readonly name = 'MT'
  readonly #parts: readonly Storage[]

  constructor(parts: readonly Storage[]) {
    this.#parts = parts
  }

  get capacity(): number {
    return this.#parts.reduce((sum, { capacity }) => sum + capacity, 0)
  }

  get used(): number {
    return this.#parts.reduce((sum, { used }) => sum + used, 0)
  }

  get full(): boolean {
    return this.#parts.every(({ full }) => full)
  }

  at(slot: number): MemoryEntry | undefined {
    const found = this.#find(slot)
    return found?.part.at(slot - found.from)
  }

  store(message: MemoryEntry): number | undefined {
    let from = 0
    for (const part of this.#parts) {
      const slot = part.store(message)
      if (slot !== undefined) return from + slot
      from += part.capacity
    }
    return undefined
  }

  replace(slot: number, message: MemoryEntry): void {
    const found = this.#find(slot)
    found?.part.replace(slot - found.from, message)
  }

  remove(slot: number): boolean {
    const found = this.#find(slot)
    return found?.part.remove(slot - found.from) ?? false
  }

  *entries(): Generator<readonly [number, MemoryEntry]> {
    let from = 0
    for (const part of this.#parts) {
      for (const [slot, message] of part.entries()) yield [from + slot, message]
      from += part.capacity
    }
  }

  locate(slot: number): { readonly name: string; readonly slot: number } {
    const found = this.#find(slot)
    return found ? { name: found.part.name, slot: slot - found.from } : { name: this.name, slot }
  }

  #find(slot: number): { readonly part: Storage; readonly from: number } | undefined {
    let from = 0
    for (const part of this.#parts) {
      if (slot < from + part.capacity) return { part, from }
      from += part.capacity
    }
    return undefined
  }
}
