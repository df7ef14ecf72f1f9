import { OctetReader } from '../octets.ts'
import { PduDecodeError } from '../pdu-error.ts'
import { decodeUintvar } from './uintvar.ts'
import { lengthQuote, longestShortLength, textQuote } from './wsp-values.ts'

/**
 * Reads the primitive values that WSP headers and the MMS headers built on them are made of (WAP-230 §8.4.1.2 and
 * §8.4.2.1). Every part reader keeps counting in the octets of the whole, so an error names an offset that can be found
 * in the dump.
 */
export class WspReader extends OctetReader {
  readonly #octets: Uint8Array

  constructor(octets: Uint8Array, start = 0, end = octets.length) {
    const readable = octets.subarray(0, end)
    super(readable, start)
    this.#octets = readable
  }

  /** The first octet of the next value, left where it is: it tells what kind of value that is. */
  first(field: string): number {
    const octet = this.peek()
    if (octet === undefined) throw new PduDecodeError(field, this.position, 'the data ends here')
    return octet
  }

  /** A reader of the next `count` octets; this one goes on behind them. */
  part(field: string, count: number): WspReader {
    const start = this.position
    this.take(field, count)
    return new WspReader(this.#octets, start, start + count)
  }

  /** A reader of the next value alone, its length included, when it begins with one; else this reader. */
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
    if (octet <= longestShortLength) return octet
    if (octet === lengthQuote) return this.uintvar(field)
    throw new PduDecodeError(field, this.position - 1, `0x${octet.toString(16)} is no value length`)
  }

  /** The octets of a text-string without the quote in front and the zero behind. */
  textString(field: string): Uint8Array {
    const end = this.#octets.indexOf(0, this.position)
    if (end < 0) throw new PduDecodeError(field, this.position, 'a text without its final zero')
    const text = withoutQuote(this.take(field, end - this.position))
    this.octet(field)
    return text
  }

  /** integer-value: a short-integer of seven bits or a long-integer. */
  integer(field: string): number {
    return this.first(field) >= 0x80 ? this.octet(field) & 0x7f : this.longInteger(field)
  }

  longInteger(field: string): number {
    const start = this.position
    const length = this.octet(field)
    if (length === 0 || length > longestShortLength) {
      throw new PduDecodeError(field, start, `a long-integer of ${length} octets`)
    }
    let value = 0
    for (const octet of this.take(field, length)) value = value * 0x100 + octet
    if (!Number.isSafeInteger(value)) throw new PduDecodeError(field, start, 'a number of more than 53 bits')
    return value
  }

  /** Steps over a value of an unknown header: its first octet tells where it ends (WAP-230 §8.4.1.2). */
  skipValue(field: string): void {
    const first = this.first(field)
    if (first <= lengthQuote) this.take(field, this.valueLength(field))
    else if (first < 0x80) this.textString(field)
    else this.octet(field)
  }
}

/** A text that begins with an octet of 128 or more has a quote in front, so that it is not taken for a short value. */
export function withoutQuote(text: Uint8Array): Uint8Array {
  return text[0] === textQuote ? text.subarray(1) : text
}
