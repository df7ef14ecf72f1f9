import type { Log } from '@smsgw/daemon/log/log'
import { ReconnectingClient } from '../store/connection/reconnecting-client.ts'
import { CHANNEL, hintPayloads, readHintPayload, type WakeHint } from './wake-hint.ts'
import type { HintBus } from './wake-hints.ts'

export interface PostgresHintBusOptions {
  readonly url: string
  /** Identifies this process, so that it ignores its own hints. */
  readonly relayId: string
  readonly log: Log
}

/**
 * Carries hints over LISTEN and NOTIFY on a separate connection, because LISTEN needs a lasting session. All commits
 * with a NOTIFY wait for the same lock, so each NOTIFY is sent in a transaction of its own. This transaction writes no
 * rows, so PostgreSQL does not wait for the disk. While the connection is lost, hints are dropped. After the reconnect,
 * `onMissed` is called.
 */
export class PostgresHintBus implements HintBus {
  readonly #options: PostgresHintBusOptions
  #client: ReconnectingClient | undefined

  constructor(options: PostgresHintBusOptions) {
    this.#options = options
  }

  subscribe(onHints: (hints: readonly WakeHint[]) => void, onMissed: () => void): void {
    const { url, relayId, log } = this.#options
    this.#client = new ReconnectingClient({
      url,
      name: 'smsgw hints',
      prepare: (client) => client.query(`LISTEN ${CHANNEL}`),
      onConnected: onMissed,
      onLost: (error) =>
        log.warn(
          { err: error },
          'database connection for hints lost: reconnecting, and polling for new work meanwhile',
        ),
      onNotification(payload) {
        const read = readHintPayload(payload)
        if (read === undefined) log.warn(`ignored a notification on ${CHANNEL} that is not from a relay`)
        else if (read.from !== relayId) onHints(read.hints)
      },
    })
  }

  async publish(hints: readonly WakeHint[]): Promise<void> {
    const payloads = hintPayloads(this.#options.relayId, hints)
    const sql = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload'
    await this.#client?.query(sql, [CHANNEL, payloads]).catch(() => undefined)
  }

  async close(): Promise<void> {
    await this.#client?.close()
  }
}
