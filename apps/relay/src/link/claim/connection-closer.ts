import type { Clock } from '../../clock.ts'
import type { Database } from '../../store/database.ts'
import { closeConnections, type EndedConnection } from './close-connections-statement.ts'

interface ConnectionCloserDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: { warn(details: object, message: string): void }
}

/**
 * Records ended connections. Connections that end during a write share the next write, so that thousands of broken
 * connections cost only a few statements. After a failed write, the connections are kept for the next attempt, because
 * the lease of the relay keeps a device online until the end of its connection is recorded.
 */
export class ConnectionCloser {
  readonly #deps: ConnectionCloserDeps
  #waiting: EndedConnection[] = []
  #writing: Promise<void> | undefined

  constructor(deps: ConnectionCloserDeps) {
    this.#deps = deps
  }

  add(connection: EndedConnection): void {
    this.#waiting.push(connection)
    this.#writing ??= this.#write()
  }

  /** Records the connections of a failed write. The caller repeats this while the relay runs. */
  retry(): void {
    if (this.#waiting.length > 0) this.#writing ??= this.#write()
  }

  /** Resolves when all added connections are recorded, or when a write has failed. */
  async settled(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    const { database, clock, log } = this.#deps
    // Waits, so that connections that end in the same iteration of the event loop are collected.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const ended = this.#waiting.splice(0)
      try {
        await closeConnections(database, ended, clock.now())
      } catch (error) {
        this.#waiting = [...ended, ...this.#waiting]
        log.warn({ err: error }, 'could not record closed connections: the devices look online until a retry succeeds')
        break
      }
    }
    this.#writing = undefined
  }
}
