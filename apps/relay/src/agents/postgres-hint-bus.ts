import type { Log } from '@smsgw/daemon/log'
import { Client } from 'pg'
import { oneAtATime } from '../store/one-at-a-time.ts'
import { hintPayloads, readHintPayload } from './hint-payload.ts'
import type { WakeHint } from './wake-hint.ts'
import type { HintBus } from './wake-hints.ts'

export interface PostgresHintBusNeeds {
  readonly url: string
  /** Of this process: its own hints are not heard again. */
  readonly relayId: string
  readonly log: Log
}

/**
 * Hints over LISTEN and NOTIFY, on a connection of their own: NOTIFY takes a lock at commit that all commits with a NOTIFY
 * queue for, so none stands in a transaction that does anything else, and LISTEN does not survive a pool.
 *
 * Connecting, connected, or pausing before the next try; closed in the end. While it is not connected hints are dropped;
 * once it is again it says that some may have been missed. A connection that is dead without saying so is noticed by a
 * question now and then.
 */
export class PostgresHintBus implements HintBus {
  readonly #needs: PostgresHintBusNeeds
  #hear: (hints: readonly WakeHint[]) => void = () => undefined
  #missed: () => void = () => undefined
  #client: Client | undefined
  #connecting: Promise<void> = Promise.resolve()
  #retry: NodeJS.Timeout | undefined
  #health: NodeJS.Timeout | undefined
  #pauseMs = FIRST_PAUSE_MS
  #isClosed = false
  readonly #alone = oneAtATime()

  constructor(needs: PostgresHintBusNeeds) {
    this.#needs = needs
  }

  subscribe(hear: (hints: readonly WakeHint[]) => void, missed: () => void): void {
    this.#hear = hear
    this.#missed = missed
    this.#connecting = this.#connect()
  }

  publish(hints: readonly WakeHint[]): void {
    for (const payload of hintPayloads(this.#needs.relayId, hints)) {
      void this.#ask('SELECT pg_notify($1, $2)', [CHANNEL, payload])
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    clearInterval(this.#health)
    await this.#connecting
    await this.#client?.end()
  }

  async #connect(): Promise<void> {
    const client = new Client({
      connectionString: this.#needs.url,
      application_name: 'smsgw hints',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    })
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, undefined))
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''))
    this.#client = client
    try {
      await client.connect()
      await client.query(`LISTEN ${CHANNEL}`)
    } catch (error) {
      return this.#lose(client, error)
    }
    this.#pauseMs = FIRST_PAUSE_MS
    this.#health = setInterval(() => void this.#ask('SELECT 1', []), HEALTH_MS).unref()
    this.#missed()
  }

  /** Its answer does not matter, only that there is one. */
  async #ask(query: string, values: readonly string[]): Promise<void> {
    await this.#alone(async () => {
      const client = this.#client
      try {
        await client?.query(query, [...values])
      } catch (error) {
        if (client) this.#lose(client, error)
      }
    })
  }

  #receive(payload: string): void {
    const read = readHintPayload(payload)
    if (read === undefined) this.#needs.log.warn('wake hints: something else notifies on their channel; ignored')
    else if (read.from !== this.#needs.relayId) this.#hear(read.hints)
  }

  #lose(client: Client, error: unknown): void {
    if (client !== this.#client || this.#isClosed) return
    this.#client = undefined
    clearInterval(this.#health)
    this.#needs.log.warn({ err: error }, 'wake hints: no connection to the database; agents are polled meanwhile')
    // It may be dead without knowing: nobody waits for its end.
    client.end().catch(() => undefined)
    this.#retry = setTimeout(() => {
      this.#connecting = this.#connect()
    }, this.#pauseMs)
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

const CHANNEL = 'smsgw_hints'
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 15_000
const HEALTH_MS = 15_000
