import { Modem } from '@smsgw/modem/modem'
import type { ModemEvent } from '@smsgw/modem/modem-event'
import { RecoveryRunner } from '@smsgw/modem/recovery/runner'
import type { AlarmCause, RecoveryEffect } from '@smsgw/modem/recovery/state'
import type { ByteTrace } from '@smsgw/modem/wire/trace'
import { printError } from '../cli/terminal.ts'
import { openPort, tryOpenPort } from '../ports/open-port.ts'
import { monotonicClock } from '../time/monotonic-clock.ts'

export interface ConnectionOptions {
  readonly address: string
  readonly pin: string | undefined
  readonly trace: ByteTrace | undefined
}

type News = RecoveryEffect & { readonly kind: 'raise-alarm' | 'clear-alarm' | 'healed' }

/** A modem on an open port. While the tool runs, the modem is recovered automatically. */
export class Connection {
  readonly #runner: RecoveryRunner
  readonly #listeners = new Set<(event: ModemEvent) => void>()
  readonly #newsListeners = new Set<(news: News) => void>()

  readonly address: string

  private constructor(address: string, runner: (connection: Connection) => RecoveryRunner) {
    this.address = address
    this.#runner = runner(this)
  }

  /** Throws if the port cannot be opened; a port that is lost later is reopened. */
  static async open({ address, pin, trace }: ConnectionOptions): Promise<Connection> {
    printError(`opening ${address} …`)
    let first: Awaited<ReturnType<typeof openPort>> | undefined = await openPort(address)
    const connection = new Connection(
      address,
      (self) =>
        new RecoveryRunner({
          clock: monotonicClock,
          open: async () => {
            const port = first
            first = undefined
            return port === undefined ? tryOpenPort(address) : { kind: 'opened', port }
          },
          onEvent: (event) => {
            const step = event.kind === 'state' ? steps[event.state.name] : undefined
            if (step !== undefined) printError(`${address}: ${step} …`)
            for (const listener of self.#listeners) listener(event)
          },
          onNews: (news) => {
            for (const listener of self.#newsListeners) listener(news)
          },
          modemOptions: pin === undefined ? {} : { simPin: pin },
          ...(trace ? { trace } : {}),
        }),
    )
    connection.#runner.start()
    return connection
  }

  /** Returns a function that stops listening. */
  onEvent(listener: (event: ModemEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onNews(listener: (news: News) => void): () => void {
    this.#newsListeners.add(listener)
    return () => this.#newsListeners.delete(listener)
  }

  /** Undefined while no port is open. */
  get modem(): Modem | undefined {
    const { modem } = this.#runner
    return modem instanceof Modem ? modem : undefined
  }

  /** Resolves when the modem is set up and, with `network`, also registered. Rejects with the reason if that fails. */
  ready(need: 'set-up' | 'network'): Promise<Modem> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const { modem } = this
        if (modem?.session === undefined) return
        if (need === 'set-up' || modem.state.name === 'ready') end(() => resolve(modem))
      }
      const stops = [
        this.onEvent((event) => {
          if (event.kind === 'state' && event.state.name === 'blocked') {
            const { words, advice } = event.state.failure
            end(() => reject(new ToolError(`${words} ${advice}`)))
          }
          // Waits, because events of the setup are emitted before the session exists.
          queueMicrotask(look)
        }),
        this.onNews((news) => {
          if (news.kind === 'raise-alarm') end(() => reject(new ToolError(wordsOf(news.cause))))
        }),
      ]
      const timer = setTimeout(() => {
        const minutes = `within ${readyLimitMs / 60_000} minutes`
        const words =
          this.modem?.session === undefined
            ? `The modem did not become ready ${minutes}: unplug it for ten seconds, and check that this port is the command port of the modem.`
            : `The modem found no network ${minutes}: check its antenna, and try the SIM in a phone.`
        end(() => reject(new ToolError(words)))
      }, readyLimitMs)
      const end = (then: () => void) => {
        for (const stop of stops) stop()
        clearTimeout(timer)
        then()
      }
      look()
    })
  }

  close(): Promise<void> {
    return this.#runner.stop()
  }
}

const steps: Readonly<Record<string, string>> = {
  probing: 'waiting for an answer',
  identifying: 'identifying the modem',
  sim: 'reading the SIM',
  registering: 'waiting for a network',
}

const readyLimitMs = 120_000

export function wordsOf(cause: AlarmCause): string {
  return cause.kind === 'needs-hands' ? `${cause.failure.words} ${cause.failure.advice}` : cause.words
}

/** An error that ends the tool with one line. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
