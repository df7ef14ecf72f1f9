import type { Socket } from 'node:net'
import type { ReceiveBytes } from './host-port.ts'

/**
 * Bytes between a TCP connection and a modem, bounded both ways. States: flowing; holding (the program does not read what it
 * is answered, so nothing more is taken from it until it does); full (it has not read for so long that what the modem
 * says is dropped, as a modem with a full buffer does).
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

/** A listing of 330 messages, SM and ME full, is about 125 kB and must fit; stale status lines should not pile higher. */
export const HOLD_AT_BYTES = 0x1_0000
export const FULL_AT_BYTES = 0x4_0000
