import type { Log } from '@smsgw/daemon/log/log'
import type { Random } from '../../random.ts'
import { ReconnectingClient } from '../../store/connection/reconnecting-client.ts'

/** The first key of the advisory locks of delivery workers. */
export const PRESENCE_CLASS = 1_936_554_608

export interface WorkerPresenceDeps {
  readonly url: string
  readonly random: Random
  readonly log: Pick<Log, 'warn'>
}

/**
 * Shows other workers that this worker is running. For this, a separate connection holds an advisory lock on the number
 * of the worker. When the process is killed, the connection ends. Other workers then take over the receivers of this
 * worker without waiting for the leases to expire. After a lost connection, this worker gets a new number.
 */
export class WorkerPresence {
  readonly #client: ReconnectingClient
  #number: number | undefined

  /** @param onChange called when the number changes or is lost */
  constructor({ url, random, log }: WorkerPresenceDeps, onChange: () => void) {
    let next = 0
    this.#client = new ReconnectingClient({
      url,
      name: 'smsgw webhooks',
      prepare(client) {
        next = Buffer.from(random.bytes(4)).readUInt32BE() >>> 1
        // If another worker has this number, the query times out, and the next attempt uses another number.
        return client.query('SELECT pg_advisory_lock($1, $2)', [PRESENCE_CLASS, next])
      },
      onConnected: () => {
        this.#number = next
        onChange()
      },
      onLost: (error) => {
        log.warn({ err: error }, 'webhook delivery paused: database connection lost, reconnecting')
        if (this.#number === undefined) return
        this.#number = undefined
        onChange()
      },
    })
  }

  /**
   * The number of this worker. It is undefined while other workers cannot see this worker. While it is undefined, this
   * worker must not serve any receiver.
   */
  get number(): number | undefined {
    return this.#number
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}
