import type { Clock } from '../../clock.ts'
import type { Database } from '../../store/database.ts'
import type { AgentConnection } from './agent-connection.ts'
import { closeConnections } from './close-connections-statement.ts'

interface ConnectionCloserDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: { warn(details: object, message: string): void }
}

/**
 * Records ended connections. Connections that end during a write share the next write, so that thousands of broken
 * connections cost only a few statements. The end of a connection that cannot be recorded takes effect when its lease
 * expires.
 */
export class ConnectionCloser {
  readonly #deps: ConnectionCloserDeps
  #waiting: AgentConnection[] = []
  #writing: Promise<void> | undefined

  constructor(deps: ConnectionCloserDeps) {
    this.#deps = deps
  }

  add(connection: AgentConnection): void {
    this.#waiting.push(connection)
    this.#writing ??= this.#write()
  }

  /** Resolves when all added connections are recorded. */
  async settled(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    const { database, clock, log } = this.#deps
    // Waits to collect the connections that end in the same turn of the event loop.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const ended = this.#waiting.splice(0)
      try {
        await closeConnections(database, ended, clock.now())
      } catch (error) {
        log.warn({ err: error }, 'closed connections not recorded: their devices may look online for up to a minute')
      }
    }
    this.#writing = undefined
  }
}
