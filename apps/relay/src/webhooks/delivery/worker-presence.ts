import type { Log } from '@smsgw/daemon/log'
import { Client } from 'pg'
import type { Random } from '../../random.ts'

/** The first half of the name of the locks that workers show themselves by; nobody else's are called so. */
export const PRESENCE_CLASS = 1_936_554_608

export interface WorkerPresenceNeeds {
  readonly url: string
  readonly random: Random
  readonly log: Pick<Log, 'warn'>
}

/**
 * Shows the other workers that this one is alive: it holds an advisory lock, named by its number, on a connection of its
 * own. When the process is killed the connection ends with it, and others take what it served without waiting for a lease
 * to run out. A connection that is lost otherwise makes another worker of it, with another number.
 *
 * Connecting, present, or pausing before the next try; closed in the end.
 */
export class WorkerPresence {
  readonly #needs: WorkerPresenceNeeds
  readonly #onChange: () => void
  #client: Client | undefined
  #number: number | undefined
  #connecting: Promise<void>
  #retry: NodeJS.Timeout | undefined
  #health: NodeJS.Timeout | undefined
  #isTold = false
  #isClosed = false

  /** @param onChange when the number has become another one, or none */
  constructor(needs: WorkerPresenceNeeds, onChange: () => void) {
    this.#needs = needs
    this.#onChange = onChange
    this.#connecting = this.#connect()
  }

  /** Undefined: nobody sees it, and it must not serve anybody. */
  get number(): number | undefined {
    return this.#number
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    clearInterval(this.#health)
    await this.#connecting
    await this.#client?.end()
  }

  async #connect(): Promise<void> {
    const { url, random } = this.#needs
    const client = new Client({
      connectionString: url,
      application_name: 'smsgw webhooks',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    })
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, undefined))
    this.#client = client
    const number = Buffer.from(random.bytes(4)).readUInt32BE() >>> 1
    try {
      await client.connect()
      // A number that somebody has already is waited for in vain, and the next try has another.
      await client.query('SELECT pg_advisory_lock($1, $2)', [PRESENCE_CLASS, number])
    } catch (error) {
      return this.#lose(client, error)
    }
    if (this.#client !== client) return
    this.#health = setInterval(() => void this.#ask(client), HEALTH_MS).unref()
    this.#number = number
    this.#isTold = false
    this.#onChange()
  }

  async #ask(client: Client): Promise<void> {
    try {
      await client.query('SELECT 1')
    } catch (error) {
      this.#lose(client, error)
    }
  }

  #lose(client: Client, error: unknown): void {
    if (client !== this.#client || this.#isClosed) return
    this.#client = undefined
    clearInterval(this.#health)
    if (!this.#isTold) this.#needs.log.warn({ err: error }, 'webhooks wait: no connection to the database')
    this.#isTold = true
    // It may be dead without knowing: nobody waits for its end.
    client.end().catch(() => undefined)
    this.#retry = setTimeout(() => {
      this.#connecting = this.#connect()
    }, RETRY_MS)
    const wasPresent = this.#number !== undefined
    this.#number = undefined
    if (wasPresent) this.#onChange()
  }
}

const HEALTH_MS = 5_000
const RETRY_MS = 500
