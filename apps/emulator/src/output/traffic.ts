/** Records the bytes of all modems, keeps the last bytes, and notifies listeners. */
export class TrafficLog {
  readonly #recent: TrafficRecord[] = []
  #recentBytes = 0
  readonly #listeners = new Set<(record: TrafficRecord) => void>()

  record(modem: string, direction: TrafficRecord['direction'], bytes: Uint8Array, port?: 'second'): void {
    const second = port && { port }
    const record = { epochMs: Date.now(), modem, ...second, direction, bytes: Uint8Array.from(bytes) }
    this.#recent.push(record)
    this.#recentBytes += bytes.length
    while (this.#recent.length > MOST_KEPT || this.#recentBytes > MOST_KEPT_BYTES)
      this.#recentBytes -= this.#recent.shift()?.bytes.length ?? 0
    for (const listener of this.#listeners) listener(record)
  }

  recent(): readonly TrafficRecord[] {
    return this.#recent
  }

  /** Returns a function that removes the listener. */
  listen(listener: (record: TrafficRecord) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

export interface TrafficRecord {
  readonly epochMs: number
  readonly modem: string
  readonly port?: 'second'
  /** The direction from the point of view of the modem. `in`: the program wrote the bytes. */
  readonly direction: 'in' | 'out'
  readonly bytes: Uint8Array
}

/** Returns the bytes as one line, with names for control characters: `AT<CR>`. */
export function visible(bytes: Uint8Array): string {
  let text = ''
  for (const octet of bytes) {
    if (octet >= 0x20 && octet < 0x7f) text += String.fromCharCode(octet)
    else text += `<${NAMES[octet] ?? octet.toString(16).padStart(2, '0').toUpperCase()}>`
  }
  return text
}

const NAMES: Readonly<Record<number, string>> = {
  0: 'NUL',
  8: 'BS',
  10: 'LF',
  13: 'CR',
  26: '^Z',
  27: 'ESC',
  127: 'DEL',
}
const MOST_KEPT = 2000
/** The limit for all lines together. A program may write 64 kB at a time. */
const MOST_KEPT_BYTES = 0x40_0000
