import type { Clock } from '../clock.ts'
import type { Sensitivity } from '../dialogue/command.ts'
import { maskLine } from './trace-masking.ts'

/** Receives all bytes of the port. Each call contains the sensitivity of its bytes. */
export interface ByteTrace {
  sent(bytes: Uint8Array, sensitivity: Sensitivity): void
  received(bytes: Uint8Array, sensitivity: Sensitivity): void
}

/** One line of a trace, masked: control characters escaped, numbers, PDUs and texts hidden. */
export interface TraceEntry {
  readonly atMs: number
  readonly direction: 'sent' | 'received'
  readonly text: string
}

/**
 * Emits each line when it is complete, because masking needs whole lines to recognise numbers. When the direction
 * changes, an incomplete line is emitted, and everything in it that may be part of private data is masked.
 */
export class TraceLines implements ByteTrace {
  readonly #nowMs: () => number
  readonly #onEntry: (entry: TraceEntry) => void
  #open = ''
  #openSinceMs = 0
  #sensitivity: Sensitivity = 'ordinary'
  /** True if the start of the current line was already emitted. */
  #cut: boolean

  constructor(nowMs: () => number, onEntry: (entry: TraceEntry) => void, beginsInsideLine = false) {
    this.#nowMs = nowMs
    this.#onEntry = onEntry
    this.#cut = beginsInsideLine
  }

  sent(bytes: Uint8Array, sensitivity: Sensitivity): void {
    this.flush()
    this.#give('sent', this.#nowMs(), latin1(bytes), sensitivity, false)
  }

  received(bytes: Uint8Array, sensitivity: Sensitivity): void {
    if (this.#open === '') this.#openSinceMs = this.#nowMs()
    this.#sensitivity = strictest(this.#open === '' ? sensitivity : this.#sensitivity, sensitivity)
    this.#open += latin1(bytes)
    for (let end = endOfLine(this.#open); end > 0; end = endOfLine(this.#open)) {
      this.#give('received', this.#openSinceMs, this.#open.slice(0, end), this.#sensitivity, this.#cut)
      this.#cut = false
      this.#open = this.#open.slice(end)
      this.#openSinceMs = this.#nowMs()
    }
    if (this.#open.length > longestOpenLine) this.flush()
  }

  /** Emits an incomplete line. */
  flush(): void {
    if (this.#open === '') return
    const isPrompt = /^\s*> ?$/.test(this.#open)
    const isBlank = this.#open.trim() === ''
    const cut = !isPrompt && !isBlank
    this.#give('received', this.#openSinceMs, this.#open, this.#sensitivity, cut || this.#cut)
    this.#cut ||= cut
    this.#open = ''
  }

  #give(direction: TraceEntry['direction'], atMs: number, line: string, sensitivity: Sensitivity, cut: boolean): void {
    this.#onEntry({ atMs, direction, text: escapeControls(maskLine(line, sensitivity, cut)) })
  }
}

/**
 * Keeps the last bytes of both directions, unmasked, in memory only. The bytes are masked only when the trace is read,
 * so that a trace that nobody reads takes no time. For the same reason, they are copied into chunks that are dropped as
 * a whole: an object for each record would have to be collected as garbage.
 */
export class TraceRing implements ByteTrace {
  readonly #clock: Clock
  readonly #capacity: number
  readonly #chunks: TraceChunk[] = []
  #size = 0
  #dropped = false

  constructor(clock: Clock, capacityBytes = defaultCapacityBytes) {
    this.#clock = clock
    this.#capacity = capacityBytes
  }

  sent(bytes: Uint8Array, sensitivity: Sensitivity): void {
    this.#keep('sent', bytes, sensitivity)
  }

  received(bytes: Uint8Array, sensitivity: Sensitivity): void {
    this.#keep('received', bytes, sensitivity)
  }

  entries(): readonly TraceEntry[] {
    const entries: TraceEntry[] = []
    let atMs = 0
    const lines = new TraceLines(
      () => atMs,
      (entry) => void entries.push(entry),
      this.#dropped,
    )
    for (const chunk of this.#chunks) {
      for (const record of chunk.records()) {
        atMs = record.atMs
        lines[record.direction](record.bytes, record.sensitivity)
      }
    }
    lines.flush()
    return entries
  }

  #keep(direction: TraceEntry['direction'], bytes: Uint8Array, sensitivity: Sensitivity): void {
    const kept = bytes.subarray(Math.max(0, bytes.length - this.#capacity))
    if (kept.length < bytes.length) this.#dropped = true
    const last = this.#chunks.at(-1)
    const chunk = last?.hasRoomFor(kept) === true ? last : this.#newChunk(kept)
    chunk.add({ atMs: this.#clock.nowMs(), direction, bytes: kept, sensitivity })
  }

  #newChunk(first: Uint8Array): TraceChunk {
    const chunk = new TraceChunk(Math.max(Math.floor(this.#capacity / chunksInRing), first.length + headerBytes))
    this.#size += chunk.size
    while (this.#size > this.#capacity && this.#chunks.length > 0) {
      this.#size -= this.#chunks.shift()?.size ?? 0
      this.#dropped = true
    }
    this.#chunks.push(chunk)
    return chunk
  }
}

interface TraceRecord {
  readonly atMs: number
  readonly direction: TraceEntry['direction']
  readonly bytes: Uint8Array
  readonly sensitivity: Sensitivity
}

/** Records one after the other: time (8 bytes), length (4), direction (1), sensitivity (1), unused (2), the bytes. */
class TraceChunk {
  readonly #bytes: Uint8Array
  readonly #headers: DataView
  #used = 0

  constructor(size: number) {
    this.#bytes = new Uint8Array(size)
    this.#headers = new DataView(this.#bytes.buffer)
  }

  get size(): number {
    return this.#bytes.length
  }

  hasRoomFor(bytes: Uint8Array): boolean {
    return this.#used + headerBytes + bytes.length <= this.size
  }

  add({ atMs, direction, bytes, sensitivity }: TraceRecord): void {
    const at = this.#used
    this.#headers.setFloat64(at, atMs)
    this.#headers.setUint32(at + 8, bytes.length)
    this.#headers.setUint8(at + 12, directions.indexOf(direction))
    this.#headers.setUint8(at + 13, sensitivities.indexOf(sensitivity))
    this.#bytes.set(bytes, at + headerBytes)
    this.#used = at + headerBytes + bytes.length
  }

  *records(): Generator<TraceRecord> {
    for (let at = 0; at < this.#used; ) {
      const from = at + headerBytes
      const to = from + this.#headers.getUint32(at + 8)
      yield {
        atMs: this.#headers.getFloat64(at),
        direction: directions[this.#headers.getUint8(at + 12)] ?? 'received',
        bytes: this.#bytes.subarray(from, to),
        // Masks the most if the sensitivity is unknown.
        sensitivity: sensitivities[this.#headers.getUint8(at + 13)] ?? 'secret',
      }
      at = to
    }
  }
}

const directions = ['sent', 'received'] as const
const sensitivities = ['plain', 'ordinary', 'secret'] as const satisfies readonly Sensitivity[]
const headerBytes = 16
const defaultCapacityBytes = 65_536
const chunksInRing = 4
const longestOpenLine = 8_192

/** Returns the position after the LF of the first line that is not empty; 0 if there is no such line. */
function endOfLine(text: string): number {
  let start = 0
  while (start < text.length && text.charCodeAt(start) <= 0x20) start += 1
  return start === text.length ? 0 : text.indexOf('\n', start) + 1
}

function strictest(a: Sensitivity, b: Sensitivity): Sensitivity {
  if (a === 'secret' || b === 'secret') return 'secret'
  return a === 'plain' && b === 'plain' ? 'plain' : 'ordinary'
}

function latin1(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

function escapeControls(text: string): string {
  let escaped = ''
  for (const char of text) {
    const code = char.charCodeAt(0)
    if (char === '\r') escaped += '\\r'
    else if (char === '\n') escaped += '\\n'
    else if (code < 0x20 || code >= 0x7f) escaped += `\\x${code.toString(16).padStart(2, '0')}`
    else escaped += char
  }
  return escaped
}
