import { ApiError } from './api-error.ts'

/**
 * Limits the memory of request bodies above the common limit, whatever the number of callers. A body counts with its announced
 * size from the moment at which it exceeds the common limit until its request is answered, because its values are in memory as
 * long. Its text, its values and their stored form are in memory at the same time, so the process needs about five times as much.
 *
 * A body for which there is no room waits, oldest first. The bodies of one account take at most half of the room, so that one
 * caller cannot keep the others waiting.
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

  /** Waits until there is room for a body, and returns the function that ends its use. Throws 503 after a while. */
  async enter(accountId: string, bytes: number): Promise<() => void> {
    if (this.#fits(accountId, bytes)) return this.#take(accountId, bytes)
    if (this.#waiting.size >= MOST_WAITING) throw tooBusy()
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

  /** A body that is larger than all the room enters when it is alone. */
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

/** Two of the largest bodies. */
const MOST_BYTES = 32 * 1024 * 1024
/** Below the time-out of a request. */
const WAIT_MS = 10_000
/** Each waiting body holds up to 256 KiB. */
const MOST_WAITING = 100

function tooBusy(): ApiError {
  return new ApiError(503, 'Too many large requests are in progress: try again in a few seconds', {
    headers: { 'Retry-After': '5' },
  })
}
