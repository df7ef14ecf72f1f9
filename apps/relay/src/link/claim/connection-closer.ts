import type { Clock } from '../../clock.ts'
import type { Database } from '../../store/database.ts'
import { closeConnections, type EndedConnection } from './close-connections-statement.ts'

interface ConnectionCloserDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: { warn(details: object, message: string): void }
}

/**
 * Records ended connections in groups. The first connection that ends after a pause is recorded at once. Connections
 * that end soon after it share the next write, so that thousands of broken connections cost only a few statements. When
 * the agents of a stopping relay move to other relays, most of them have a newer connection before the write. Then
 * their old connection costs no write of a row.
 *
 * After a failed write, the connections are kept for the next attempt, because the lease of the relay keeps a device
 * online until the end of its connection is recorded.
 */
export class ConnectionCloser {
  readonly #deps: ConnectionCloserDeps
  #waiting: EndedConnection[] = []
  #writing: Promise<void> | undefined
  #pause: NodeJS.Timeout | undefined

  constructor(deps: ConnectionCloserDeps) {
    this.#deps = deps
  }

  add(connection: EndedConnection): void {
    this.#waiting.push(connection)
    if (this.#pause === undefined) this.#writing ??= this.#write()
  }

  /** Records the connections of a failed write. The caller repeats this while the relay runs. */
  retry(): void {
    if (this.#waiting.length > 0 && this.#pause === undefined) this.#writing ??= this.#write()
  }

  /** Records the connections that wait for the end of the pause. Resolves after this, or after a failed write. */
  async settled(): Promise<void> {
    await this.#writing
    if (this.#pause === undefined) return
    this.#endPause()
    await this.#writing
  }

  async #write(): Promise<void> {
    const { database, clock, log } = this.#deps
    // Waits, so that connections that end in the same iteration of the event loop are collected.
    await Promise.resolve()
    const ended = this.#waiting.splice(0)
    try {
      await closeConnections(database, ended, clock.now())
      this.#pause = setTimeout(() => this.#endPause(), PAUSE_MS)
    } catch (error) {
      this.#waiting = [...ended, ...this.#waiting]
      log.warn({ err: error }, 'could not record closed connections: the devices look online until a retry succeeds')
    }
    this.#writing = undefined
  }

  #endPause(): void {
    clearTimeout(this.#pause)
    this.#pause = undefined
    this.retry()
  }
}

/** A device looks online for at most this much longer. */
const PAUSE_MS = 250
