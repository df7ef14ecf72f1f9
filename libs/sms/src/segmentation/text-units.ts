import { octetsOfUnits } from '../text/ucs2.ts'
import { clusterStarts } from './grapheme-clusters.ts'

/** A text as septets or UTF-16 units, with the positions at which the text should not be split. */
export interface TextUnits {
  /** The septets or UTF-16 units. */
  readonly length: number
  /**
   * Returns the start of the escape pair or surrogate pair around the index; returns the index itself if it is not
   * inside a pair.
   */
  readonly pairStart: (index: number) => number
  /** Returns the start of the grapheme cluster around the index. A cluster may be longer than a part. */
  readonly clusterStart: (index: number) => number
  /** Returns the content of a part: septets, or UTF-16BE octets. */
  readonly slice: (start: number, end: number) => Uint8Array
}

/** @param septets `text` encoded with any tables */
export function septetUnits(text: string, septets: Uint8Array): TextUnits {
  const clusterStart = clusterStarts(text)
  const escapesBefore = septets.length === text.length ? () => 0 : escapeCounts(septets)
  return {
    length: septets.length,
    // The encoder writes an escape only before a septet of the extension table, never after another escape.
    pairStart: (index) => (septets[index - 1] === ESCAPE ? index - 1 : index),
    clusterStart: (index) => {
      const at = index - escapesBefore(index)
      return indexBack(septets, index, at - clusterStart(at))
    },
    slice: (start, end) => septets.slice(start, end),
  }
}

/** @param text without lone surrogates */
export function ucs2Units(text: string): TextUnits {
  return {
    length: text.length,
    pairStart: (index) => (isLowSurrogate(text.charCodeAt(index)) ? index - 1 : index),
    clusterStart: clusterStarts(text),
    slice: (start, end) => octetsOfUnits(text, start, end),
  }
}

const ESCAPE = 0x1b

/**
 * Counts the escapes before an index. Every character of every table is one UTF-16 unit, so an index in the septets,
 * minus the number of escapes before it, is the index in the text. Counts all escapes on first use, because a long text
 * needs hundreds of positions.
 */
function escapeCounts(septets: Uint8Array): (index: number) => number {
  let counts: Uint32Array | undefined
  return (index) => {
    counts ??= countEscapes(septets)
    return counts[index]!
  }
}

function countEscapes(septets: Uint8Array): Uint32Array {
  const counts = new Uint32Array(septets.length + 1)
  let escapes = 0
  for (let i = 0; i < septets.length; i++) {
    if (septets[i] === ESCAPE) escapes++
    counts[i + 1] = escapes
  }
  return counts
}

function indexBack(septets: Uint8Array, from: number, characters: number): number {
  let index = from
  for (let left = characters; left > 0; left--) index -= septets[index - 2] === ESCAPE ? 2 : 1
  return index
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
