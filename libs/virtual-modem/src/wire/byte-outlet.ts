import type { Clock, Timer } from '../clock.ts'
import type { SeededRandom } from '../random.ts'

/**
 * Writes bytes to the host. Output is split and merged at random, like on a real port, so that hosts cannot rely on
 * whole lines or on one line per read. States:
 *
 * - empty: all bytes were written.
 * - sending: the host receives chunks; output that it causes meanwhile is appended.
 * - holding: the rest of the output is held for a few milliseconds and sent with later output.
 * - closed: output is dropped.
 */
export class ByteOutlet {
  bytesOut = 0
  readonly #options: ByteOutletOptions
  #text = ''
  #open = 0
  #closed = false
  #sending = false
  #held: Timer | undefined

  constructor(options: ByteOutletOptions) {
    this.#options = options
  }

  /** One character is one byte. */
  write(text: string): void {
    if (this.#closed) return
    this.#text += text
    if (this.#open === 0) this.#send()
  }

  /** Collects everything that `run` writes and sends it when `run` returns. */
  together(run: () => void): void {
    this.#open += 1
    try {
      run()
    } finally {
      this.#open -= 1
      if (this.#open === 0) this.#send()
    }
  }

  /** Drops all later output, because the modem has lost power. */
  close(): void {
    this.#closed = true
    this.clear()
  }

  /** Drops unsent output, like a lost port. */
  clear(): void {
    this.#text = ''
    this.#held?.cancel()
    this.#held = undefined
  }

  #send(): void {
    if (this.#sending || this.#held !== undefined) return
    this.#sending = true
    try {
      while (this.#text !== '') {
        const length = this.#chunkLength()
        const chunk = this.#text.slice(0, length)
        this.#text = this.#text.slice(length)
        this.bytesOut += chunk.length
        this.#options.onBytes(bytesOf(chunk))
        if (this.#text !== '' && this.#startHold()) return
      }
    } finally {
      this.#sending = false
    }
  }

  #chunkLength(): number {
    const { chunking, oneByOne, random } = this.#options
    if (oneByOne()) return 1
    if (chunking === 'whole' || random.next() < 0.5) return this.#text.length
    return 1 + random.integer(this.#text.length)
  }

  #startHold(): boolean {
    const { chunking, clock, random } = this.#options
    if (chunking === 'whole' || random.next() >= holdChance) return false
    this.#held = clock.after(random.integer(longestHoldMs + 1), () => {
      this.#held = undefined
      this.#send()
    })
    return true
  }
}

export interface ByteOutletOptions {
  readonly clock: Clock
  readonly random: SeededRandom
  /** True if every byte is sent separately. */
  readonly oneByOne: () => boolean
  readonly chunking: 'random' | 'whole'
  readonly onBytes: (bytes: Uint8Array) => void
}

/**
 * The probability that output is delayed. Delays are rare and short, so that a modem without latency still accepts more
 * than 2000 messages per second.
 */
const holdChance = 1 / 16
const longestHoldMs = 2

function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}
