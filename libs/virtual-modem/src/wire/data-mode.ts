import type { Clock, Timer } from '../clock.ts'

/**
 * A data call that a crashed program left open (V.250 §6.3.1, online data state): the host's bytes go to the other end,
 * and the other end sends PPP frames. `+++` between two guard times of silence (V.250 §5.7, S12) ends the data state.
 */
export class DataMode {
  readonly #clock: Clock
  readonly #write: (text: string) => void
  #isOn = false
  #lastByteAtMs = Number.NEGATIVE_INFINITY
  #escape: Timer | undefined
  #frames: Timer | undefined

  constructor(clock: Clock, write: (text: string) => void) {
    this.#clock = clock
    this.#write = write
  }

  get isOn(): boolean {
    return this.#isOn
  }

  enter(): void {
    if (this.#isOn) return
    this.#isOn = true
    this.#sendFrame()
  }

  /** Returns true if the bytes were data and not commands. */
  takes(bytes: Uint8Array): boolean {
    if (!this.#isOn) return false
    const nowMs = this.#clock.nowMs()
    const isAlone = nowMs - this.#lastByteAtMs >= guardMs && String.fromCharCode(...bytes) === '+++'
    this.#lastByteAtMs = nowMs
    this.#escape?.cancel()
    if (isAlone) this.#escape = this.#clock.after(guardMs, () => this.#leave())
    return true
  }

  #leave(): void {
    this.#isOn = false
    this.#frames?.cancel()
    this.#write('\r\nOK\r\n')
  }

  #sendFrame(): void {
    this.#write(configureRequest)
    this.#frames = this.#clock.after(framesEveryMs, () => this.#sendFrame())
  }
}

const guardMs = 1_000
/** The restart timer of LCP (RFC 1661 §4.6). */
const framesEveryMs = 3_000
/** LCP Configure-Request in an asynchronous frame (RFC 1662). */
const configureRequest = '\x7e\xff\x7d\x23\xc0\x21\x7d\x21\x7d\x21\x7d\x20\x7d\x28\x7d\x22\x7d\x26\x12\x34\x7e'
