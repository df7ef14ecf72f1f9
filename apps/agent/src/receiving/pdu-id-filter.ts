/**
 * A Bloom filter with the ids of all PDUs in the journal. A PDU that it does not have is certainly not in the journal,
 * so most received PDUs need no search in the journal. Up to 50 000 ids, less than one of 50 new PDUs is searched.
 */
export class PduIdFilter {
  readonly bits: Uint8Array

  constructor(bits: Uint8Array = new Uint8Array(FILTER_BYTES)) {
    this.bits = bits
  }

  add(pduId: string): void {
    for (const position of this.#positions(pduId)) {
      const at = position >> 3
      this.bits[at] = (this.bits[at] ?? 0) | (1 << (position & 7))
    }
  }

  mayHave(pduId: string): boolean {
    return this.#positions(pduId).every((position) => ((this.bits[position >> 3] ?? 0) & (1 << (position & 7))) !== 0)
  }

  /** Uses parts of the id, which is a hash. */
  #positions(pduId: string): readonly number[] {
    const octets = Buffer.alloc(16)
    octets.write(pduId, 'base64url')
    return [0, 4, 8, 12].map((offset) => octets.readUInt32LE(offset) % (this.bits.length * 8))
  }
}

const FILTER_BYTES = 65_536
