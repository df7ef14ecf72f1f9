/** The interface between the driver and a byte stream: a serial port, a TCP connection or a virtual modem. */
export interface BytePort {
  /** `write` queues bytes in order and returns at once; a port that cannot queue more bytes closes itself. */
  write(bytes: Uint8Array): void
  /** The listener must not keep a reference to the array, because a port may reuse its buffer. */
  onBytes(listener: (bytes: Uint8Array) => void): void
  onClosed(listener: (reason: string) => void): void
}
