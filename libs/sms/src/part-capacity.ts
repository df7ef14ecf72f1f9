import type { Alphabet } from './data-coding-scheme.ts'
import { MAX_USER_DATA_OCTETS } from './user-data.ts'
import type { InformationElement } from './user-data-header.ts'

/**
 * How many units fit beside a header: septets, octets, or UTF-16 units for `ucs2`.
 * For septets this is also the room left by the fill bits: 160 − ⌈8·h/7⌉ and ⌊(140 − h)·8/7⌋ are the same number.
 */
export function partCapacity(alphabet: Alphabet, elements: readonly InformationElement[]): number {
  const room = MAX_USER_DATA_OCTETS - headerOctets(elements)
  if (alphabet === 'octets') return room
  return alphabet === 'ucs2' ? Math.floor(room / 2) : Math.floor((room * 8) / 7)
}

/** UDHL, and for each element its identifier, its length and its data. 23.040 §9.2.3.24 */
function headerOctets(elements: readonly InformationElement[]): number {
  return elements.length === 0 ? 0 : elements.reduce((octets, { data }) => octets + 2 + data.length, 1)
}
