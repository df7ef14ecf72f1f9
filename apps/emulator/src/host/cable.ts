import type { Socket } from 'node:net'
import type { ReceiveBytes } from './host-port.ts'

/**
 * Passes bytes between a TCP connection and a modem, with limits in both directions. States: flowing; holding (the
 * program does not read its input, so the cable stops reading the program's output); full (the program has not read for
 * a long time, so output of the modem is dropped, as in a modem with a full buffer).
 */
export class Cable {
  readonly #stream: Socket

  constructor(stream: Socket, receive: ReceiveBytes) {
    this.#stream = stream
    stream.on('data', (bytes: Buffer) => receive(bytes))
    stream.on('drain', () => stream.resume())
  }

  send(bytes: Uint8Array): void {
    const stream = this.#stream
    if (stream.destroyed || !stream.writable) return
    if (stream.writableLength + bytes.length > FULL_AT_BYTES) return
    const flowing = stream.write(bytes)
    if (!flowing && stream.writableLength > HOLD_AT_BYTES) stream.pause()
  }
}

/** The limits of the buffer. A listing of 330 messages (SM and ME are full) has about 125 kB and must fit. */
export const HOLD_AT_BYTES = 0x1_0000
export const FULL_AT_BYTES = 0x4_0000
