import type { Duplex } from 'node:stream'
import type { ApiError } from '../http/errors/api-error.ts'
import { refuseRaw } from '../http/errors/client-error.ts'

/** The delay of a late refusal. Agents wait at least 4 s for an answer, so the refusal reaches them in time. */
export const LATE_REFUSAL_MS = 2_000
/** Further refusals are sent at once, because each waiting connection needs memory. */
export const MOST_LATE_REFUSALS = 5_000

/** Answers HTTP upgrades that are refused, and closes their sockets. */
export class Refusals {
  readonly #waiting = new Set<Duplex>()
  readonly #requestId: () => string

  constructor(requestId: () => string) {
    this.#requestId = requestId
  }

  now(socket: Duplex, refusal: ApiError): void {
    refuseRaw(socket, refusal, this.#requestId())
  }

  /**
   * Refuses a connection that exceeds a limit, after a delay. Many load balancers send a connection to the relay with
   * the fewest open connections. A relay that refused connections at once would soon have the fewest, and would get
   * nearly all new connections, although other relays could accept them. A connection that waits for its refusal is
   * still open, so the load balancer counts it.
   */
  late(socket: Duplex, refusal: ApiError): void {
    if (this.#waiting.size >= MOST_LATE_REFUSALS) {
      this.now(socket, refusal)
      return
    }
    const timer = setTimeout(() => this.now(socket, refusal), LATE_REFUSAL_MS)
    this.#waiting.add(socket)
    socket.once('close', () => {
      clearTimeout(timer)
      this.#waiting.delete(socket)
    })
    // The relay notices the end of the connection only if it reads.
    socket.resume().once('end', () => socket.destroy())
  }

  /** Closes the waiting connections without an answer. */
  close(): void {
    for (const socket of this.#waiting) socket.destroy()
  }
}
