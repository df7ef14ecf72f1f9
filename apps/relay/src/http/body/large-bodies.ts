import { ApiError } from '../errors/api-error.ts'

/**
 * Limits how much memory all large request bodies use together. As soon as a body exceeds the common limit, its
 * announced size is counted until its request is answered, because its values stay in memory until then. Attachments
 * are decoded while they arrive. A slow body therefore needs memory for three quarters of its size. It needs more only
 * while its attachments are sent to the database, a few at a time.
 *
 * A body for which there is no room waits; the oldest body enters first. The bodies of one account use at most half of
 * the room and a quarter of the waiting slots, so that one caller cannot make the others wait.
 */
export class LargeBodies {
  readonly #mostBytes: number
  readonly #waitMs: number
  #bytes = 0
  readonly #ofAccount = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()

  constructor({ mostBytes = MOST_BYTES, waitMs = WAIT_MS } = {}) {
    this.#mostBytes = mostBytes
    this.#waitMs = waitMs
  }

  /**
   * Waits until there is room for a body. Returns a function that must be called when the body is no longer in memory.
   * Throws 503 after a while.
   */
  async enter(accountId: string, bytes: number): Promise<() => void> {
    if (this.#fits(accountId, bytes)) return this.#take(accountId, bytes)
    const ofAccount = [...this.#waiting].filter((one) => one.accountId === accountId).length
    if (this.#waiting.size >= MOST_WAITING || ofAccount >= MOST_WAITING_OF_ACCOUNT) throw tooBusy()
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const waiting = { accountId, bytes, resolve }
    this.#waiting.add(waiting)
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting)
      reject(tooBusy())
    }, this.#waitMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  /** A body that is larger than the limit is accepted when no other body is in memory. */
  #fits(accountId: string, bytes: number): boolean {
    const used = this.#ofAccount.get(accountId) ?? 0
    return (
      (this.#bytes === 0 || this.#bytes + bytes <= this.#mostBytes) &&
      (used === 0 || used + bytes <= this.#mostBytes / 2)
    )
  }

  #take(accountId: string, bytes: number): () => void {
    this.#count(accountId, bytes)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#count(accountId, -bytes)
      for (const waiting of this.#waiting) {
        if (!this.#fits(waiting.accountId, waiting.bytes)) continue
        this.#waiting.delete(waiting)
        waiting.resolve(this.#take(waiting.accountId, waiting.bytes))
      }
    }
  }

  #count(accountId: string, bytes: number): void {
    this.#bytes += bytes
    const used = (this.#ofAccount.get(accountId) ?? 0) + bytes
    if (used === 0) this.#ofAccount.delete(accountId)
    else this.#ofAccount.set(accountId, used)
  }
}

interface Waiting {
  readonly accountId: string
  readonly bytes: number
  readonly resolve: (leave: () => void) => void
}

/** The limit is sufficient for two of the largest bodies. */
const MOST_BYTES = 32 * 1024 * 1024
/** The longest wait for memory, which is shorter than the time-out of a request. */
const WAIT_MS = 10_000
/** The largest number of waiting bodies. Each of them holds up to 256 KiB. */
const MOST_WAITING = 100
const MOST_WAITING_OF_ACCOUNT = 25

function tooBusy(): ApiError {
  return new ApiError(503, 'Too many large requests are in progress: try again in a few seconds', {
    headers: { 'Retry-After': '5' },
  })
}
