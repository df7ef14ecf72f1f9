/**
 * UTF-16, big end first. 23.038 §6.2.3 says UCS-2, which has no surrogates; phones have sent and read UTF-16 since
 * there are emoji, and for characters up to U+FFFF the two are the same.
 * Half a surrogate pair is no character, and U+0000 none that databases keep: both become U+FFFD.
 */
export function ucs2FromText(text: string): Uint8Array {
  return octetsOfUnits(storable(text), 0, text.length)
}

/** The units from `start` on and before `end`, whatever they are. */
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

/** Never fails: half a surrogate pair and U+0000 read as U+FFFD, an odd octet at the end is dropped. */
export function textFromUcs2(octets: Uint8Array): string {
  let text = ''
  for (let i = 0; i + 1 < octets.length; i += 2) text += String.fromCharCode((octets[i]! << 8) | octets[i + 1]!)
  return storable(text)
}

/** With U+FFFD, unit for unit, for what PostgreSQL refuses in a text: half a surrogate pair and U+0000. */
export function storable(text: string): string {
  // With the flag u a pair is one character, so that \p{Cs} finds halves alone: the slow way, for few texts need it.
  return /[\0\ud800-\udfff]/.test(text) ? text.replace(/[\0\p{Cs}]/gu, '\ufffd') : text
}
