import { SmppError } from './command.ts'

/** An address with its type of number and numbering plan (§5.2.5, §5.2.6). */
export interface SmeAddress {
  readonly ton: number
  readonly npi: number
  readonly value: string
}

/** The optional parameters by tag. */
export type Tlvs = ReadonlyMap<number, Uint8Array>

/** Reads the fields of a body in their order. Throws an SmppError with the name of the field. */
export class FieldReader {
  readonly #octets: Buffer
  #position = 0

  constructor(body: Uint8Array) {
    this.#octets = Buffer.from(body.buffer, body.byteOffset, body.length)
  }

  octet(field: string): number {
    const value = this.#octets[this.#position]
    if (value === undefined) throw new SmppError('ESME_RINVCMDLEN', `${field} is missing`)
    this.#position += 1
    return value
  }

  /** Reads a C-Octet String, which ends with NUL. `most` is the largest number of characters before the NUL. */
  text(field: string, most: number): string {
    const end = this.#octets.indexOf(0, this.#position)
    if (end < 0) throw new SmppError('ESME_RINVCMDLEN', `${field} has no end`)
    if (end - this.#position > most) throw new SmppError('ESME_RINVPARLEN', `${field} has more than ${most} characters`)
    const value = this.#octets.toString('latin1', this.#position, end)
    this.#position = end + 1
    return value
  }

  octets(field: string, count: number): Uint8Array {
    const end = this.#position + count
    if (end > this.#octets.length)
      throw new SmppError('ESME_RINVMSGLEN', `${field} is shorter than the value of its length field`)
    const value = this.#octets.subarray(this.#position, end)
    this.#position = end
    return value
  }

  address(field: string): SmeAddress {
    const ton = this.octet(`${field}_ton`)
    const npi = this.octet(`${field}_npi`)
    return { ton, npi, value: this.text(field, LONGEST_ADDRESS) }
  }

  /**
   * Reads the optional parameters (§3.2.4), which end the body. If several parameters have the same tag, the last
   * parameter is used.
   */
  tlvs(): Tlvs {
    const tlvs = new Map<number, Uint8Array>()
    while (this.#position < this.#octets.length) {
      if (this.#position + 4 > this.#octets.length)
        throw new SmppError('ESME_RINVOPTPARSTREAM', 'the body ends inside an optional parameter')
      const tag = this.#octets.readUInt16BE(this.#position)
      const length = this.#octets.readUInt16BE(this.#position + 2)
      this.#position += 4
      if (this.#position + length > this.#octets.length)
        throw new SmppError('ESME_RINVOPTPARSTREAM', 'an optional parameter is longer than the body')
      tlvs.set(tag, this.#octets.subarray(this.#position, this.#position + length))
      this.#position += length
    }
    return tlvs
  }
}

/** An address of the standard has at most 20 characters. */
const LONGEST_ADDRESS = 64

/** The optional parameters that the bridge uses (§5.3.2). */
export const TLV = {
  userMessageReference: 0x0204,
  destinationPort: 0x020b,
  sarMsgRefNum: 0x020c,
  sarTotalSegments: 0x020e,
  sarSegmentSeqnum: 0x020f,
  scInterfaceVersion: 0x0210,
  messagePayload: 0x0424,
  receiptedMessageId: 0x001e,
  messageState: 0x0427,
} as const

/** Returns the number in an optional parameter, or undefined without the parameter. */
export function tlvNumber(tlvs: Tlvs, tag: number, octets: 1 | 2): number | undefined {
  const value = tlvs.get(tag)
  if (value === undefined) return undefined
  if (value.length !== octets)
    throw new SmppError('ESME_RINVPARLEN', `optional parameter 0x${tag.toString(16)} must have ${octets} octets`)
  return Buffer.from(value).readUIntBE(0, octets)
}

/**
 * Encodes the fields of a body. A number becomes one octet, a text becomes a C-Octet String in Latin-1, and octets are
 * copied.
 */
export function fields(...values: readonly (number | string | Uint8Array | SmeAddress)[]): Buffer {
  return Buffer.concat(
    values.map((value) => {
      if (typeof value === 'number') return Uint8Array.of(value)
      if (typeof value === 'string') return Buffer.from(`${value.replace(/[\0\u{100}-\u{10ffff}]/gu, '?')}\0`, 'latin1')
      return value instanceof Uint8Array ? value : fields(value.ton, value.npi, value.value)
    }),
  )
}

export function tlv(tag: number, value: Uint8Array): Buffer {
  const header = Buffer.alloc(4)
  header.writeUInt16BE(tag, 0)
  header.writeUInt16BE(value.length, 2)
  return Buffer.concat([header, value])
}
