import type { Sensitivity } from '../dialogue/command.ts'
import type { BytePort } from './byte-port.ts'
import type { ByteTrace } from './trace.ts'

/** Counts the bytes in both directions and passes them to the trace. */
export class PortTraffic {
  readonly #port: BytePort
  readonly #trace: ByteTrace | undefined
  #bytesSent = 0
  #bytesReceived = 0
  #lastByteAtMs: number | undefined

  constructor(port: BytePort, trace: ByteTrace | undefined) {
    this.#port = port
    this.#trace = trace
  }

  /**
   * Writes one character per byte. Returns the error if the port failed, in which case some bytes may have been sent.
   */
  write(text: string, sensitivity: Sensitivity): string | undefined {
    const bytes = bytesOf(text)
    this.#bytesSent += bytes.length
    this.#trace?.sent(bytes, sensitivity)
    try {
      this.#port.write(bytes)
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  received(bytes: Uint8Array, sensitivity: Sensitivity, atMs: number): void {
    this.#lastByteAtMs = atMs
    this.#bytesReceived += bytes.length
    this.#trace?.received(bytes, sensitivity)
  }

  get bytesSent(): number {
    return this.#bytesSent
  }

  get bytesReceived(): number {
    return this.#bytesReceived
  }

  /** The time of the last received byte. */
  get lastByteAtMs(): number | undefined {
    return this.#lastByteAtMs
  }
}

function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i)
  return bytes
}
