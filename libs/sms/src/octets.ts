import { PduDecodeError, PduEncodeError } from './pdu-error.ts'

/** Reads octets in order and keeps the position, so that errors can name the offset. */
export class OctetReader {
  readonly #octets: Uint8Array
  #position: number

  /** @param offset the start of reading; positions and offsets of errors are counted from the start of `octets` */
  constructor(octets: Uint8Array, offset = 0) {
    this.#octets = octets
    this.#position = Math.min(offset, octets.length)
  }

  get position(): number {
    return this.#position
  }

  get remaining(): number {
    return this.#octets.length - this.#position
  }

  /** Returns the next octet without reading past it. */
  peek(): number | undefined {
    return this.#octets[this.#position]
  }

  octet(field: string): number {
    const octet = this.peek()
    if (octet === undefined) throw new PduDecodeError(field, this.#position, 'is missing')
    this.#position += 1
    return octet
  }

  /** Returns the next `count` octets, as a view of the input. */
  take(field: string, count: number): Uint8Array {
    if (count > this.remaining) {
      throw new PduDecodeError(field, this.#position, `needs ${count} octets, ${this.remaining} left`)
    }
    const taken = this.#octets.subarray(this.#position, this.#position + count)
    this.#position += count
    return taken
  }

  /** Returns all remaining octets, as a view of the input. */
  rest(): Uint8Array {
    return this.take('rest', this.remaining)
  }
}

/** Accepts upper and lower case. The offset of an error counts octets, not characters. */
export function octetsFromHex(hex: string): Uint8Array {
  const octets = new Uint8Array(hex.length >> 1)
  for (let index = 0; index < octets.length; index++) {
    const high = hexDigitValue(hex.charCodeAt(2 * index))
    const low = hexDigitValue(hex.charCodeAt(2 * index + 1))
    if (high < 0 || low < 0) throw new PduDecodeError('hex', index, 'is not hexadecimal')
    octets[index] = (high << 4) | low
  }
  if (hex.length % 2 === 1) throw new PduDecodeError('hex', octets.length, 'has an odd number of digits')
  return octets
}

/** Returns hexadecimal digits in upper case, as modems write them. */
export function hexFromOctets(octets: Uint8Array): string {
  let hex = ''
  for (let start = 0; start < octets.length; start += AT_ONCE) hex += hexOfFew(octets, start)
  return hex
}

// The number of characters in one call. A call with many characters is faster than many small strings, but the number
// of arguments is limited.
const AT_ONCE = 512

function hexOfFew(octets: Uint8Array, start: number): string {
  const count = Math.min(octets.length - start, AT_ONCE)
  const characters = new Array<number>(2 * count)
  for (let index = 0; index < count; index++) {
    const octet = octets[start + index]!
    characters[2 * index] = HEX_DIGITS[octet >> 4]!
    characters[2 * index + 1] = HEX_DIGITS[octet & 0xf]!
  }
  return String.fromCharCode(...characters)
}

/** Joins octets and arrays of octets; a number is one octet. */
export function joinOctets(parts: readonly (number | Uint8Array)[]): Uint8Array {
  let length = 0
  for (const part of parts) length += typeof part === 'number' ? 1 : part.length
  const joined = new Uint8Array(length)
  let position = 0
  for (const part of parts) {
    if (typeof part === 'number') {
      joined[position++] = part
      continue
    }
    // Uses a loop for short parts, because most parts have only a few octets, for which a loop is faster than set().
    if (part.length > 16) joined.set(part, position)
    else for (let index = 0; index < part.length; index++) joined[position + index] = part[index]!
    position += part.length
  }
  return joined
}

/**
 * Returns a copy that the caller can keep. A view would change with the input, and slice() of a Buffer returns a view.
 */
export function copyOf(octets: Uint8Array, start = 0, end = octets.length): Uint8Array {
  const copy = new Uint8Array(Math.max(0, end - start))
  for (let index = 0; index < copy.length; index++) copy[index] = octets[start + index]!
  return copy
}

/** Returns the value if it fits in one octet, otherwise throws, so that no encoder silently wraps a wrong number. */
export function checkedOctet(value: number, field: string): number {
  if (!Number.isInteger(value) || value < 0 || value > 0xff) {
    throw new PduEncodeError(field, `${value} is not a whole number from 0 to 255`)
  }
  return value
}

const HEX_DIGITS = Uint8Array.from('0123456789ABCDEF', (digit) => digit.charCodeAt(0))

function hexDigitValue(charCode: number): number {
  if (charCode >= 0x30 && charCode <= 0x39) return charCode - 0x30
  const lowerCase = charCode | 0x20
  return lowerCase >= 0x61 && lowerCase <= 0x66 ? lowerCase - 0x61 + 10 : -1
}
