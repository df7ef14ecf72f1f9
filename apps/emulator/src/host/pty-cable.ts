import { closeSync, writeSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import { FULL_AT_BYTES, HOLD_AT_BYTES } from './cable.ts'
import type { ReceiveBytes } from './host-port.ts'
import type { Pty } from './posix.ts'

/**
 * Passes bytes between a pseudo-terminal and a modem, with the limits and states of `Cable`. A Node stream reads from
 * the master. The class does not write with a stream, because such a write can block the process: one program that does
 * not read would stop all modems. If the 4 kB buffer of the kernel is full, the class tries again after a pause,
 * because no event reports free space.
 */
export class PtyCable {
  readonly #pty: Pty
  readonly #reader: ReadStream
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #retry: NodeJS.Timeout | undefined
  #pauseMs = FIRST_PAUSE_MS
  #closed = false

  constructor(pty: Pty, receive: ReceiveBytes, onError: (error: Error) => void) {
    this.#pty = pty
    this.#reader = new ReadStream(pty.masterFd)
    this.#reader.on('data', (bytes: Buffer) => receive(bytes))
    this.#reader.on('error', (error) => this.#closed || onError(error))
  }

  send(bytes: Uint8Array): void {
    if (this.#waitingBytes + bytes.length > FULL_AT_BYTES) return
    if (this.#waiting.length > 0) this.#queue(bytes)
    else {
      const rest = bytes.subarray(this.#write(bytes))
      if (rest.length > 0) this.#queue(rest)
    }
    if (this.#waitingBytes > HOLD_AT_BYTES) this.#reader.pause()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#reader.destroy()
    closeSync(this.#pty.slaveFd)
  }

  /** Returns the number of octets the kernel accepted. */
  #write(bytes: Uint8Array): number {
    try {
      return writeSync(this.#pty.masterFd, bytes)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
      throw error
    }
  }

  #queue(bytes: Uint8Array): void {
    // Copies the bytes, because the caller may reuse its buffer.
    this.#waiting.push(Uint8Array.from(bytes))
    this.#waitingBytes += bytes.length
    this.#retry ??= setTimeout(() => this.#writeWaiting(), this.#pauseMs)
  }

  #writeWaiting(): void {
    this.#retry = undefined
    const before = this.#waitingBytes
    let written = -1
    while (this.#waiting[0] !== undefined && written !== 0) {
      const [next] = this.#waiting
      written = this.#write(next)
      this.#waitingBytes -= written
      if (written === next.length) this.#waiting.shift()
      else this.#waiting[0] = next.subarray(written)
    }
    this.#pauseMs = this.#waitingBytes < before ? FIRST_PAUSE_MS : Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
    if (this.#waiting.length > 0) this.#retry = setTimeout(() => this.#writeWaiting(), this.#pauseMs)
    else this.#reader.resume()
  }
}

const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 16
