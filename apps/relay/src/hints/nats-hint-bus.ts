import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Log } from '@smsgw/daemon/log/log'
import { hintPayloads, readHintPayload, type WakeHint } from './wake-hint.ts'
import type { HintBus } from './wake-hints.ts'

export interface NatsHintBusOptions {
  /**
   * Addresses of one or more NATS servers of a cluster, separated by commas. The first may contain username and
   * password.
   */
  readonly url: string
  /** Identifies the installation, so that several installations can share a NATS server. */
  readonly streamId: string
  /** Identifies this process, which ignores its own hints. */
  readonly relayId: string
  readonly log: Log
  /** Carries hints while the NATS server is unavailable. Hints of command line processes also arrive here. */
  readonly fallback: HintBus
}

/**
 * Carries hints over a subject of NATS, so that a fleet's hints do not load the database. NATS stores nothing.
 *
 * The bus is connecting, connected, reconnecting, or closed. While it is connected, hints are published over NATS,
 * otherwise over the database. Hints are always received from both. While only some relays are connected, some hints
 * are lost and replaced by polls.
 */
export class NatsHintBus implements HintBus {
  readonly #options: NatsHintBusOptions
  readonly #subject: string
  readonly #closing = new AbortController()
  #connection: NatsConnection | undefined
  #isConnected = false
  #connecting: Promise<void> = Promise.resolve()

  constructor(options: NatsHintBusOptions) {
    this.#options = options
    this.#subject = `smsgw.hints.${options.streamId}`
  }

  subscribe(onHints: (hints: readonly WakeHint[]) => void, onMissed: () => void): void {
    this.#options.fallback.subscribe(onHints, onMissed)
    this.#connecting = this.#connect(onHints, onMissed)
  }

  async publish(hints: readonly WakeHint[]): Promise<void> {
    const connection = this.#connection
    if (connection === undefined || !this.#isConnected) return await this.#options.fallback.publish(hints)
    for (const payload of hintPayloads(this.#options.relayId, hints)) connection.publish(this.#subject, payload)
    // Waits for the answer of the server, so that hints do not pile up in the socket of a slow server.
    const timeout = new AbortController()
    const flushed = connection.flush().catch(() => undefined)
    const { signal } = timeout
    await Promise.race([flushed, sleep(FLUSH_MS, undefined, { signal }).catch(() => undefined)])
    timeout.abort()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#isConnected = false
    await this.#connecting
    await this.#connection?.close()
    await this.#options.fallback.close()
  }

  /** Connects for the first time, with retries. After that, the client reconnects by itself. */
  async #connect(onHints: (hints: readonly WakeHint[]) => void, onMissed: () => void): Promise<void> {
    const { log } = this.#options
    // Loaded only when it is used, because a gateway on a small machine has no memory to spare.
    const { connect } = await import('@nats-io/transport-node')
    for (let isFirst = true; !this.#closing.signal.aborted; isFirst = false) {
      try {
        const connection = await connect(connectionOptions(this.#options.url))
        this.#connection = connection
        this.#receive(connection, onHints)
        // Waits until the server has the subscription, so that no hint is lost after `onMissed`.
        await connection.flush()
        this.#isConnected = true
        log.info('hint server connected')
        onMissed()
        void this.#watch(connection, onMissed)
        return
      } catch (error) {
        if (isFirst) log.warn({ err: error }, UNAVAILABLE)
        await this.#connection?.close()
        this.#connection = undefined
        await sleep(RETRY_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined)
      }
    }
  }

  #receive(connection: NatsConnection, onHints: (hints: readonly WakeHint[]) => void): void {
    const { relayId, log } = this.#options
    connection.subscribe(this.#subject, {
      callback: (error, message) => {
        if (error !== null) return log.warn({ err: error }, 'subscription to hints refused: check the rights in NATS')
        const read = readHintPayload(message.string())
        if (read === undefined) log.warn(`ignored a message on ${this.#subject} that is not from a relay`)
        else if (read.from !== relayId) onHints(read.hints)
      },
    })
  }

  async #watch(connection: NatsConnection, onMissed: () => void): Promise<void> {
    const { log } = this.#options
    for await (const { type } of connection.status()) {
      if (type === 'disconnect' && this.#isConnected) {
        this.#isConnected = false
        log.warn(UNAVAILABLE)
      }
      if (type === 'reconnect') {
        this.#isConnected = true
        log.info('hint server connected')
        onMissed()
      }
    }
  }
}

const UNAVAILABLE = 'hint server unavailable: reconnecting, and sending hints over the database meanwhile'
const FLUSH_MS = 1_000
const RETRY_MS = 2_000

function connectionOptions(text: string) {
  const urls = text.split(',').map((part) => new URL(part.trim()))
  const { username, password, protocol } = urls[0] as URL
  const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  return {
    name: 'smsgw relay',
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || 4222}`),
    ...(username !== '' && credentials),
    ...(protocol === 'tls:' && { tls: {} }),
    timeout: 5_000,
    // A server that no longer responds is noticed after 10 to 15 seconds.
    pingInterval: 5_000,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true,
    noEcho: true,
  }
}
