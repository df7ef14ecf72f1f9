import type { Clock, Timer } from './clock.ts'
import type { FaultControl } from './fault-control.ts'
import type { Random } from './random.ts'

/**
 * The way of bytes to the host. A host that counts on whole lines, or on one line a read, is a host that breaks on a
 * real port: here what is written is split and merged by chance.
 *
 * - empty: everything is with the host.
 * - sending: the host is being handed chunks; what it causes to be written meanwhile goes behind.
 * - holding: a rest is held back for a few milliseconds and goes out with whatever is written then.
 * - closed.
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

  /** What is written inside goes out together at its end. */
  together(run: () => void): void {
    this.#open += 1
    try {
      run()
    } finally {
      this.#open -= 1
      if (this.#open === 0) this.#send()
    }
  }

  /** Nothing comes out any more, whoever still writes: the modem behind it has lost power. */
  close(): void {
    this.#closed = true
    this.clear()
  }

  /** What has not left yet is lost, as with a port that goes away. */
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
        if (this.#text !== '' && this.#holdsBack()) return
      }
    } finally {
      this.#sending = false
    }
  }

  #chunkLength(): number {
    const { chunking, faults, random } = this.#options
    if (faults.standing('bytes-one-by-one')) return 1
    if (chunking === 'whole' || random.next() < 0.5) return this.#text.length
    return 1 + random.integer(this.#text.length)
  }

  #holdsBack(): boolean {
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
  readonly random: Random
  readonly faults: FaultControl
  readonly chunking: 'random' | 'whole'
  readonly onBytes: (bytes: Uint8Array) => void
}

/** Seldom and short, so that a modem without latency still takes more than 2000 messages a second. */
const holdChance = 1 / 16
const longestHoldMs = 2

function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}
