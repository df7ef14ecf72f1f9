import { OctetReader } from '../octets.ts'
import { PduDecodeError } from '../pdu-error.ts'
import { decodeUintvar, lengthQuote, maxShortLength, textQuote } from './wsp-values.ts'

/**
 * Reads the primitive values of WSP headers, which MMS headers use too (WAP-230 §8.4.1.2 and §8.4.2.1). A reader for a
 * part counts positions from the start of the whole message, so that the offset in an error can be found in a dump.
 */
export class WspReader extends OctetReader {
  readonly #octets: Uint8Array

  constructor(octets: Uint8Array, start = 0, end = octets.length) {
    const readable = octets.subarray(0, end)
    super(readable, start)
    this.#octets = readable
  }

  /** Returns the first octet of the next value, which determines its kind, without moving the position. */
  first(field: string): number {
    const octet = this.peek()
    if (octet === undefined) throw new PduDecodeError(field, this.position, 'is missing')
    return octet
  }

  /** Returns a reader of the next `count` octets; this reader continues after these octets. */
  part(field: string, count: number): WspReader {
    const start = this.position
    this.take(field, count)
    return new WspReader(this.#octets, start, start + count)
  }

  /**
   * If the next value starts with a length, returns a reader of only that value and its length. Otherwise returns this
   * reader.
   */
  value(field: string): WspReader {
    const start = this.position
    if (this.first(field) > lengthQuote) return this
    this.take(field, this.valueLength(field))
    return new WspReader(this.#octets, start, this.position)
  }

  uintvar(field: string): number {
    const { value, length } = decodeUintvar(this.#octets, this.position, field)
    this.take(field, length)
    return value
  }

  valueLength(field: string): number {
    const octet = this.octet(field)
    if (octet <= maxShortLength) return octet
    if (octet === lengthQuote) return this.uintvar(field)
    throw new PduDecodeError(field, this.position - 1, `0x${octet.toString(16)} is not a value length`)
  }

  /** Returns the octets of a text-string without its leading quote and final zero. */
  textString(field: string): Uint8Array {
    const end = this.#octets.indexOf(0, this.position)
    if (end < 0) throw new PduDecodeError(field, this.position, 'is a text without its final zero')
    const text = withoutQuote(this.take(field, end - this.position))
    this.octet(field)
    return text
  }

  /** Reads an integer-value: a short-integer of seven bits or a long-integer. */
  integer(field: string): number {
    return this.first(field) >= 0x80 ? this.octet(field) & 0x7f : this.longInteger(field)
  }

  longInteger(field: string): number {
    const start = this.position
    const length = this.octet(field)
    if (length === 0 || length > maxShortLength) {
      throw new PduDecodeError(field, start, `is a long-integer of ${length} octets`)
    }
    let value = 0
    for (const octet of this.take(field, length)) value = value * 0x100 + octet
    if (!Number.isSafeInteger(value)) throw new PduDecodeError(field, start, 'is a number of more than 53 bits')
    return value
  }

  /** Skips the value of an unknown header. Its first octet determines where it ends (WAP-230 §8.4.1.2). */
  skipValue(field: string): void {
    const first = this.first(field)
    if (first <= lengthQuote) this.take(field, this.valueLength(field))
    else if (first < 0x80) this.textString(field)
    else this.octet(field)
  }
}

/** Removes the quote that precedes a text whose first octet is 128 or more. */
export function withoutQuote(text: Uint8Array): Uint8Array {
  return text[0] === textQuote ? text.subarray(1) : text
}
