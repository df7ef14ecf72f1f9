/**
 * Encodes big-endian UTF-16. 23.038 §6.2.3 specifies UCS-2, which has no surrogates, but phones use UTF-16 for emoji.
 * Up to U+FFFF, UCS-2 and UTF-16 are equal. Half a surrogate pair is not a character, and databases refuse U+0000, so
 * both become U+FFFD.
 */
export function ucs2FromText(text: string): Uint8Array {
  return octetsOfUnits(storable(text), 0, text.length)
}

/** Encodes the units from `start` up to `end`, without checking them. */
export function octetsOfUnits(text: string, start: number, end: number): Uint8Array {
  const octets = new Uint8Array((end - start) * 2)
  let position = 0
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i)
    octets[position++] = unit >> 8
    octets[position++] = unit
  }
  return octets
}

/** Never fails: half a surrogate pair and U+0000 become U+FFFD, and half a unit at the end is dropped. */
export function textFromUcs2(octets: Uint8Array): string {
  let text = ''
  for (let i = 0; i + 1 < octets.length; i += 2) text += String.fromCharCode((octets[i]! << 8) | octets[i + 1]!)
  return storable(text)
}

/** Replaces each unit that PostgreSQL refuses (half a surrogate pair, U+0000) with U+FFFD. */
export function storable(text: string): string {
  // With the `u` flag a pair is one character, so \p{Cs} matches only halves. This expression is slower, but few texts
  // need it.
  return /[\0\ud800-\udfff]/.test(text) ? text.replace(/[\0\p{Cs}]/gu, '\ufffd') : text
}
