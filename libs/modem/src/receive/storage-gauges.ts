import type { Memory, MemoryUsage } from '../commands/messages/message-storage.ts'

/** The usage of one memory. When the memory is full, no more messages arrive until a message is deleted. */
export interface StorageGauge {
  readonly memory: Memory
  readonly used: number
  readonly total: number
  readonly full: boolean
}

export class StorageGauges {
  readonly #gauges = new Map<Memory, StorageGauge>()

  get all(): readonly StorageGauge[] {
    return [...this.#gauges.values()]
  }

  /** Returns the gauge if it has changed. */
  measure(memory: Memory, { used, total }: MemoryUsage): StorageGauge | undefined {
    const before = this.#gauges.get(memory)
    if (before?.used === used && before.total === total) return undefined
    const gauge = { memory, used, total, full: total > 0 && used >= total }
    this.#gauges.set(memory, gauge)
    return gauge
  }

  /** True if the memory for received messages is full. If that memory is unknown, true if any memory is full. */
  isFull(memory: Memory | undefined): boolean {
    return memory === undefined ? this.all.some((gauge) => gauge.full) : (this.#gauges.get(memory)?.full ?? false)
  }

  clear(): void {
    this.#gauges.clear()
  }
}
