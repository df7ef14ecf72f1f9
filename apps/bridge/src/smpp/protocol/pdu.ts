/** One protocol data unit (§3.2): a header of four numbers, and a body that depends on the command. */
export interface Pdu {
  readonly command: number
  readonly status: number
  readonly sequence: number
  readonly body: Uint8Array
}

const HEADER_OCTETS = 16
const EMPTY = new Uint8Array()

export function encodePdu({
  command,
  status = 0,
  sequence,
  body = EMPTY,
}: Pick<Pdu, 'command' | 'sequence'> & Partial<Pdu>): Buffer {
  const octets = Buffer.alloc(HEADER_OCTETS + body.length)
  octets.writeUInt32BE(octets.length, 0)
  octets.writeUInt32BE(command, 4)
  octets.writeUInt32BE(status, 8)
  octets.writeUInt32BE(sequence, 12)
  octets.set(body, HEADER_OCTETS)
  return octets
}

/** The stream can no longer be split into PDUs. */
export class FramingError extends Error {
  override readonly name = 'FramingError'
}

/** Splits a stream of octets into PDUs. Copies each octet only once, even if octets arrive one by one. */
export class PduStream {
  /** The longest PDU that the server accepts. */
  mostOctets: number
  #chunks: Buffer[] = []
  #length = 0

  constructor(mostOctets: number) {
    this.mostOctets = mostOctets
  }

  /** True if the beginning of a PDU has arrived. */
  get hasPartial(): boolean {
    return this.#length > 0
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
  }

  /** Returns the next complete PDU. Throws a FramingError for an impossible or forbidden length. */
  next(): Pdu | undefined {
    if (this.#length < HEADER_OCTETS) return undefined
    if ((this.#chunks[0]?.length ?? 0) < HEADER_OCTETS) this.#join()
    const length = this.#chunks[0]?.readUInt32BE(0) ?? 0
    if (length < HEADER_OCTETS || length > this.mostOctets)
      throw new FramingError(`command_length ${length} is not between ${HEADER_OCTETS} and ${this.mostOctets}`)
    if (this.#length < length) return undefined
    const octets = this.#take(length)
    return {
      command: octets.readUInt32BE(4),
      status: octets.readUInt32BE(8),
      sequence: octets.readUInt32BE(12),
      body: octets.subarray(HEADER_OCTETS),
    }
  }

  #take(length: number): Buffer {
    if ((this.#chunks[0]?.length ?? 0) < length) this.#join()
    const [first = Buffer.alloc(0), ...rest] = this.#chunks
    this.#chunks = first.length > length ? [first.subarray(length), ...rest] : rest
    this.#length -= length
    return first.subarray(0, length)
  }

  #join(): void {
    this.#chunks = [Buffer.concat(this.#chunks)]
  }
}
