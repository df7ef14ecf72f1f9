import type { Clock, Timer } from '@smsgw/modem/clock'

/** Records at most once a second which events the relay has stored. The journal works without it, only slower. */
export class MarkWriter {
  readonly #clock: Clock
  readonly #write: (mark: number, streamId: string) => Promise<void>
  #latest: { readonly mark: number; readonly streamId: string } | undefined
  #timer: Timer | undefined

  constructor(clock: Clock, write: (mark: number, streamId: string) => Promise<void>) {
    this.#clock = clock
    this.#write = write
  }

  note(mark: number, streamId: string): void {
    this.#latest = { mark, streamId }
    this.#timer ??= this.#clock.after(markEveryMs, () => {
      this.#timer = undefined
      void this.#flush()
    })
  }

  async stop(): Promise<void> {
    this.#timer?.cancel()
    await this.#flush()
  }

  async #flush(): Promise<void> {
    const latest = this.#latest
    this.#latest = undefined
    if (latest !== undefined) await this.#write(latest.mark, latest.streamId)
  }
}

const markEveryMs = 1000
