import { PduEncodeError } from '../pdu-error.ts'

// 23.040 §9.1.2.3: two digits per octet, the first digit in the low nibble. The index is the value of the nibble; 15 is
// filler.
const DIGITS = '0123456789*#abc'
const FILLER = 0xf

/**
 * Returns the digits in the first `count` semi-octets. Skips a filler at any position, because some networks do not
 * write it as the last semi-octet.
 */
export function digitsFromSemiOctets(octets: Uint8Array, count: number): string {
  let digits = ''
  for (let index = 0; index < count; index++) {
    const octet = octets[index >> 1] ?? 0xff
    digits += DIGITS[index % 2 === 0 ? octet & 0xf : octet >> 4] ?? ''
  }
  return digits
}

/** Adds a filler if the number of digits is odd. */
export function semiOctetsFromDigits(digits: string, field: string): Uint8Array {
  const octets = new Uint8Array(Math.ceil(digits.length / 2))
  for (let index = 0; index < octets.length; index++) {
    const isLast = 2 * index + 1 === digits.length
    const high = isLast ? FILLER : digitValue(digits, 2 * index + 1, field)
    octets[index] = (high << 4) | digitValue(digits, 2 * index, field)
  }
  return octets
}

/** Returns the number 0..99 in one octet, or undefined when a nibble is not decimal. */
export function decimalFromSemiOctets(octet: number): number | undefined {
  const tens = octet & 0xf
  const ones = octet >> 4
  return tens > 9 || ones > 9 ? undefined : 10 * tens + ones
}

/** @param value a whole number 0..99 */
export function semiOctetsFromDecimal(value: number): number {
  return ((value % 10) << 4) | Math.floor(value / 10)
}

function digitValue(digits: string, index: number, field: string): number {
  const value = DIGITS.indexOf(digits.charAt(index))
  if (value < 0) throw new PduEncodeError(field, `character ${index + 1} is not one of ${DIGITS}`)
  return value
}
