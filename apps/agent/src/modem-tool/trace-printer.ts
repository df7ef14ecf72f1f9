import type { Sensitivity } from '@smsgw/modem/dialogue/command'
import { type ByteTrace, TraceLines } from '@smsgw/modem/wire/trace'
import { monotonicClock } from '../time/monotonic-clock.ts'
import type { ToolSettings } from './arguments.ts'

/** Prints sent and received bytes. */
export function tracePrinter(trace: ToolSettings['trace'], write: (line: string) => void): ByteTrace | undefined {
  const startMs = monotonicClock.nowMs()
  const show = (atMs: number, direction: 'sent' | 'received', text: string) =>
    write(`${((atMs - startMs) / 1000).toFixed(3).padStart(9)} ${direction === 'sent' ? '>' : '<'} ${text}`)
  switch (trace) {
    case 'none':
      return undefined
    case 'masked':
      return new TraceLines(monotonicClock.nowMs, ({ atMs, direction, text }) => show(atMs, direction, text))
    case 'unmasked':
      return new ByteByByte((direction, bytes) => show(monotonicClock.nowMs(), direction, escaped(bytes)))
  }
}

/** Prints bytes in the chunks in which they arrived. */
class ByteByByte implements ByteTrace {
  readonly #onBytes: (direction: 'sent' | 'received', bytes: Uint8Array) => void

  constructor(onBytes: (direction: 'sent' | 'received', bytes: Uint8Array) => void) {
    this.#onBytes = onBytes
  }

  sent(bytes: Uint8Array, _sensitivity: Sensitivity): void {
    this.#onBytes('sent', bytes)
  }

  received(bytes: Uint8Array, _sensitivity: Sensitivity): void {
    this.#onBytes('received', bytes)
  }
}

function escaped(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) {
    if (byte === 0x0d) text += '\\r'
    else if (byte === 0x0a) text += '\\n'
    else if (byte < 0x20 || byte >= 0x7f) text += `\\x${byte.toString(16).padStart(2, '0')}`
    else text += String.fromCharCode(byte)
  }
  return text
}
