import { PduDecodeError } from '../pdu-error.ts'
import { decodeUintvar } from './uintvar.ts'

/**
 * Reads the primitive values that WSP headers and the MMS headers built on them are made of (WAP-230 §8.4.1.2 and
 * §8.4.2.1). Every part reader keeps counting in the octets of the whole, so an error names an offset that can be found
 * in the dump.
 */
export class WspReader {
  readonly #octets: Uint8Array
  readonly #end: number
  #position: number

  constructor(octets: Uint8Array, start = 0, end = octets.length) {
    this.#octets = octets
    this.#position = start
    this.#end = Math.min(end, octets.length)
  }

  get position(): number {
    return this.#position
  }

  get remaining(): number {
    return Math.max(0, this.#end - this.#position)
  }

  peek(field: string): number {
    const octet = this.remaining > 0 ? this.#octets[this.#position] : undefined
    if (octet === undefined) throw new PduDecodeError(field, this.#position, 'the data ends here')
    return octet
  }

  octet(field: string): number {
    const octet = this.peek(field)
    this.#position += 1
    return octet
  }

  take(field: string, count: number): Uint8Array {
    if (count > this.remaining) {
      throw new PduDecodeError(field, this.#position, `needs ${count} octets, ${this.remaining} are left`)
    }
    const taken = this.#octets.subarray(this.#position, this.#position + count)
    this.#position += count
    return taken
  }

  rest(): Uint8Array {
    return this.take('rest', this.remaining)
  }

  /** A reader of the next `count` octets; this one goes on behind them. */
  part(field: string, count: number): WspReader {
    const start = this.#position
    this.take(field, count)
    return new WspReader(this.#octets, start, start + count)
  }

  uintvar(field: string): number {
    const { value, length } = decodeUintvar(this.#octets, this.#position, field, this.#end)
    this.#position += length
    return value
  }

  valueLength(field: string): number {
    const octet = this.octet(field)
    if (octet <= longestShortLength) return octet
    if (octet === lengthQuote) return this.uintvar(field)
    throw new PduDecodeError(field, this.#position - 1, `0x${octet.toString(16)} is no value length`)
  }

  /** The octets of a text-string without the quote in front and the zero behind. */
  textString(field: string): Uint8Array {
    const end = this.#octets.indexOf(0, this.#position)
    if (end < 0 || end >= this.#end) throw new PduDecodeError(field, this.#position, 'a text without its final zero')
    const text = withoutQuote(this.#octets.subarray(this.#position, end))
    this.#position = end + 1
    return text
  }

  /** integer-value: a short-integer of seven bits or a long-integer. */
  integer(field: string): number {
    return this.peek(field) >= 0x80 ? this.octet(field) & 0x7f : this.longInteger(field)
  }

  longInteger(field: string): number {
    const start = this.#position
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
    const first = this.peek(field)
    if (first <= lengthQuote) this.take(field, this.valueLength(field))
    else if (first < 0x80) this.textString(field)
    else this.octet(field)
  }
}

const longestShortLength = 30
const lengthQuote = 31
const textQuote = 0x7f

/** A text that begins with an octet of 128 or more has a quote in front, so that it is not taken for a short value. */
export function withoutQuote(text: Uint8Array): Uint8Array {
  return text[0] === textQuote ? text.subarray(1) : text
}
