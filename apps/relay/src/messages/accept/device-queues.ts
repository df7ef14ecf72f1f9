/** The queue of a device. All cached rows of the device share it, so a reservation through one row counts for all. */
export interface DeviceQueue {
  readonly deviceId: string
  /** The number of unfinished recipients, with the reserved ones. */
  waiting: number
  /** The number of reserved recipients that have not been stored. */
  reserved: number
  /** The time of the last read. */
  readMs: number
}

/** A read of queue lengths that is running. */
export interface QueueRead {
  /** The recipients that were stored since the read began, by device. */
  readonly stored: Map<string, number>
}

/**
 * The age from which no row of a queue is used, not even by a request that has a row and waits for another device. No
 * query takes as long.
 */
const UNUSED_AFTER_MS = 60_000
/** The number of queues from which unused queues are removed. */
const MANY_QUEUES = 1_000

/**
 * Keeps the queue lengths of devices exact within this process. Each read replaces the length, and adds what it cannot
 * contain: recipients that are only reserved, and recipients that were stored while it ran. If the read contains some
 * of the latter, they count twice until the next read.
 */
export class DeviceQueues {
  readonly #queues = new Map<string, DeviceQueue>()
  readonly #reads = new Set<QueueRead>()
  #removeAt = MANY_QUEUES

  /** Call this before each read, and `endRead` when all its rows were passed to `queueOf`, or when it failed. */
  beginRead(): QueueRead {
    const read = { stored: new Map<string, number>() }
    this.#reads.add(read)
    return read
  }

  endRead(read: QueueRead, nowMs: number): void {
    this.#reads.delete(read)
    if (this.#queues.size < this.#removeAt) return
    for (const [deviceId, { reserved, readMs }] of this.#queues)
      if (reserved === 0 && Math.abs(nowMs - readMs) > UNUSED_AFTER_MS) this.#queues.delete(deviceId)
    this.#removeAt = Math.max(MANY_QUEUES, 2 * this.#queues.size)
  }

  /** Returns the queue of a device after it was read. `waiting` is its length in the database. */
  queueOf(deviceId: string, waiting: number, read: QueueRead, nowMs: number): DeviceQueue {
    const queue = this.#queues.get(deviceId) ?? { deviceId, waiting: 0, reserved: 0, readMs: 0 }
    this.#queues.set(deviceId, queue)
    queue.waiting = waiting + queue.reserved + (read.stored.get(deviceId) ?? 0)
    queue.readMs = nowMs
    return queue
  }

  /**
   * Counts recipients as waiting. Call the returned function when they were stored or refused. The queue of a row that
   * a slow request has kept may have been removed, or replaced by another object.
   */
  reserve(ofRow: DeviceQueue, recipients: number): (isStored: boolean) => void {
    const queue = this.#queues.get(ofRow.deviceId) ?? ofRow
    this.#queues.set(queue.deviceId, queue)
    queue.waiting += recipients
    queue.reserved += recipients
    return (isStored) => {
      queue.reserved -= recipients
      if (!isStored) queue.waiting -= recipients
      else for (const { stored } of this.#reads) add(stored, queue.deviceId, recipients)
    }
  }
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}
