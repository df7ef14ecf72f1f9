import type { Modem } from '@smsgw/modem/modem'
import type { ModemEvent } from '@smsgw/modem/modem-event'
import { RecoveryRunner } from '@smsgw/modem/recovery-runner'
import type { AlarmCause, RecoveryEffect } from '@smsgw/modem/recovery-state'
import type { ByteTrace } from '@smsgw/modem/trace'
import { monotonicClock } from '../monotonic-clock.ts'
import { openPort } from '../ports/open-port.ts'
import { tryOpenPort } from '../ports/try-open-port.ts'
import { ToolError } from './tool-error.ts'

export interface ConnectionOptions {
  readonly address: string
  readonly pin: string | undefined
  readonly trace: ByteTrace | undefined
}

type News = RecoveryEffect & { readonly kind: 'raise-alarm' | 'clear-alarm' | 'healed' }

/** A modem on an open port, kept alive while the tool runs. */
export class Connection {
  readonly #runner: RecoveryRunner
  readonly #listeners = new Set<(event: ModemEvent) => void>()
  readonly #newsListeners = new Set<(news: News) => void>()

  private constructor(runner: (connection: Connection) => RecoveryRunner) {
    this.#runner = runner(this)
  }

  /** A port that cannot be opened now is an error; one that is lost later is opened again. */
  static async open({ address, pin, trace }: ConnectionOptions): Promise<Connection> {
    let first: Awaited<ReturnType<typeof openPort>> | undefined = await openPort(address)
    const connection = new Connection(
      (self) =>
        new RecoveryRunner({
          clock: monotonicClock,
          open: async () => {
            const port = first
            first = undefined
            return port === undefined ? tryOpenPort(address) : { kind: 'opened', port }
          },
          onEvent: (event) => {
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

  /** Returns how to stop listening. */
  onEvent(listener: (event: ModemEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onNews(listener: (news: News) => void): () => void {
    this.#newsListeners.add(listener)
    return () => this.#newsListeners.delete(listener)
  }

  /** Undefined while there is no port. */
  get modem(): Modem | undefined {
    return this.#runner.modem
  }

  /** The modem, once it is set up; with a network too, if that is needed. Says why when it does not come to that. */
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
          // The events of a start come before the session is there to be used.
          queueMicrotask(look)
        }),
        this.onNews((news) => {
          if (news.kind === 'raise-alarm') end(() => reject(new ToolError(wordsOf(news.cause))))
        }),
      ]
      const timer = setTimeout(() => {
        const waitedFor = this.modem?.session === undefined ? 'The modem did not get ready' : 'It found no network'
        end(() => reject(new ToolError(`${waitedFor} within ${readyLimitMs / 60_000} minutes.`)))
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

const readyLimitMs = 120_000

export function wordsOf(cause: AlarmCause): string {
  return cause.kind === 'needs-hands' ? `${cause.failure.words} ${cause.failure.advice}` : cause.words
}
