import type { Clock } from '../src/clock.ts'
import type { ClosablePort, OpenResult } from '../src/recovery/runner.ts'

/**
 * The port of a virtual modem. Only one program at a time can open the port, and the port is lost when the cable is
 * unplugged. Bytes may take time in both directions; without a delay an answer arrives before `write` has returned.
 */
export class SimulatedCable {
  readonly #clock: Clock
  readonly #delayMs: number
  readonly #toModem: (bytes: Uint8Array) => void
  #plugged = true
  #end: End | undefined

  constructor(clock: Clock, delayMs: number, toModem: (bytes: Uint8Array) => void) {
    this.#clock = clock
    this.#delayMs = delayMs
    this.#toModem = toModem
  }

  set plugged(plugged: boolean) {
    this.#plugged = plugged
    if (!plugged) this.#end?.lose('unplugged')
  }

  fromModem(bytes: Uint8Array): void {
    const end = this.#end
    this.#later(() => end?.receive(bytes))
  }

  /** Opens the port. A previous connection is closed, because two programs on one port are not simulated. */
  async open(): Promise<OpenResult> {
    if (!this.#plugged) return { kind: 'absent', words: 'no such device' }
    this.#end?.lose('opened by another program')
    const end = new End((bytes) =>
      this.#later(() => {
        if (this.#plugged && this.#end === end) this.#toModem(bytes)
      }),
    )
    this.#end = end
    return { kind: 'opened', port: end }
  }

  #later(run: () => void): void {
    if (this.#delayMs === 0) run()
    else this.#clock.after(this.#delayMs, run)
  }
}

class End implements ClosablePort {
  readonly write: (bytes: Uint8Array) => void
  #onBytes: ((bytes: Uint8Array) => void) | undefined
  #onClosed: ((reason: string) => void) | undefined
  #lost = false

  constructor(write: (bytes: Uint8Array) => void) {
    this.write = (bytes) => {
      if (!this.#lost) write(bytes)
    }
  }

  onBytes(listener: (bytes: Uint8Array) => void): void {
    this.#onBytes = listener
  }

  onClosed(listener: (reason: string) => void): void {
    this.#onClosed = listener
  }

  async close(): Promise<void> {
    this.lose('closed')
  }

  receive(bytes: Uint8Array): void {
    if (!this.#lost) this.#onBytes?.(bytes)
  }

  lose(reason: string): void {
    if (this.#lost) return
    this.#lost = true
    this.#onClosed?.(reason)
  }
}
