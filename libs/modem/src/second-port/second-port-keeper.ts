import type { Clock, Timer } from '../clock.ts'
import type { BytePort } from '../wire/byte-port.ts'
import type { SecondPortOutcome } from './second-port.ts'

/**
 * Keeps the second port of one modem open while the modem is set up.
 *
 * `sessionStarted` opens the port. A closed port is opened again after a pause, until `stop` is called. A port that
 * belongs to another modem stays closed until the next session.
 */
export class SecondPortKeeper {
  readonly #options: SecondPortKeeperOptions
  #port: SecondBytePort | undefined
  #timer: Timer | undefined
  #attempt = 0
  #isInUse = false

  constructor(options: SecondPortKeeperOptions) {
    this.#options = options
  }

  /** True while the modem answers on the port. */
  get isInUse(): boolean {
    return this.#isInUse
  }

  sessionStarted(): void {
    void this.#open(++this.#attempt)
  }

  async stop(): Promise<void> {
    this.#attempt += 1
    this.#timer?.cancel()
    await this.#close()
  }

  async #open(attempt: number): Promise<void> {
    await this.#close()
    const port = await this.#options.open().catch(() => undefined)
    if (port === undefined) {
      this.#openLater(attempt)
      return
    }
    if (attempt !== this.#attempt) {
      await port.close()
      return
    }
    this.#port = port
    port.onClosed(() => {
      if (this.#port === port) this.#isInUse = false
      this.#openLater(attempt)
    })
    const outcome = await this.#options.use(port)
    this.#isInUse = outcome === 'in-use' && this.#port === port
    if (outcome === 'in-use' || attempt !== this.#attempt) return
    await this.#close()
    if (outcome === 'silent') this.#openLater(attempt)
  }

  #openLater(attempt: number): void {
    if (attempt !== this.#attempt) return
    this.#timer?.cancel()
    this.#timer = this.#options.clock.after(retryMs, () => {
      if (attempt === this.#attempt) void this.#open(++this.#attempt)
    })
  }

  async #close(): Promise<void> {
    const port = this.#port
    this.#port = undefined
    this.#isInUse = false
    // Ignores a failure to close the port. In that case the port cannot be opened either, and opening it is retried at
    // intervals.
    await port?.close().catch(() => undefined)
  }
}

export interface SecondBytePort extends BytePort {
  close(): Promise<void>
}

export interface SecondPortKeeperOptions {
  readonly clock: Clock
  /** Undefined if the port cannot be opened now. */
  readonly open: () => Promise<SecondBytePort | undefined>
  /** Uses the port until the session of the modem ends. */
  readonly use: (port: SecondBytePort) => Promise<SecondPortOutcome>
}

const retryMs = 30_000
