/**
 * The seam between the driver and the world: something that takes bytes and gives bytes. A serial port, a TCP
 * connection and a virtual modem all fit behind it.
 */
export interface BytePort {
  /** Hands bytes over in order and returns at once; a port that can take no more says so by closing. */
  write(bytes: Uint8Array): void
  /** The listener may keep no reference to the array: a port may reuse its buffer. */
  onBytes(listener: (bytes: Uint8Array) => void): void
  onClosed(listener: (reason: string) => void): void
}
