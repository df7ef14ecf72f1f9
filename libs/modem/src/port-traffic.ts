import type { BytePort } from './byte-port.ts'
import type { Sensitivity } from './command.ts'
import type { ByteTrace } from './trace.ts'

/** What passes the seam, both ways: counted, and heard by the trace. */
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

  /** One character for each byte. Returns why the port failed, if it did: whether a part of it left nobody knows. */
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

  /** When a byte came last. */
  get lastByteAtMs(): number | undefined {
    return this.#lastByteAtMs
  }
}

function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i)
  return bytes
}
