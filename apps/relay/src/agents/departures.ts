import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import type { AgentConnection } from './agent-connection.ts'
import { closeConnections } from './close-connections.ts'

interface DeparturesNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly log: { warn(details: object, message: string): void }
}

/**
 * Writes down which connections have ended: those that end while the last ones are being written go together, so that
 * thousands that break at once are a few statements. What cannot be written ends with its lease.
 */
export class Departures {
  readonly #needs: DeparturesNeeds
  #waiting: AgentConnection[] = []
  #writing: Promise<void> | undefined

  constructor(needs: DeparturesNeeds) {
    this.#needs = needs
  }

  add(connection: AgentConnection): void {
    this.#waiting.push(connection)
    this.#writing ??= this.#write()
  }

  /** Until all are written. */
  async settled(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    const { database, clock, log } = this.#needs
    // What ends in the same turn.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const ended = this.#waiting.splice(0)
      try {
        await closeConnections(database, ended, clock.now())
      } catch (error) {
        log.warn({ err: error }, 'devices that are gone may look online for a minute')
      }
    }
    this.#writing = undefined
  }
}
