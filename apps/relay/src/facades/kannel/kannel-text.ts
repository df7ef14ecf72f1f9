/** Decodes percent-encoded text to one character per octet, because `charset` decides what the octets mean. */
export function octetsOf(escaped: string): string {
  return escaped.replace(/%([0-9a-f]{2})/gi, (_, octet) => String.fromCharCode(Number.parseInt(octet, 16)))
}

/**
 * Decodes octets. Without `charset`, text is UTF-8, or UTF-16BE for `coding=2`. Older versions of Kannel used
 * WINDOWS-1252, so text that is not valid UTF-8 is decoded as WINDOWS-1252. Returns undefined for an unknown charset
 * and for octets that are not text in it.
 */
export function decodeText(octets: string, charset: string | undefined, isUcs2: boolean): string | undefined {
  const bytes = Buffer.from(octets, 'latin1')
  if (charset === undefined) return decoded(bytes, isUcs2 ? 'utf-16be' : 'utf-8') ?? decoded(bytes, 'windows-1252')
  // Kannel sends the higher octet first, whereas the web reads UCS-2 in the other order.
  return decoded(bytes, /^ucs-?2(?:be)?$/i.test(charset) ? 'utf-16be' : charset)
}

function decoded(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined // the charset is unknown, or the octets are not text in it
  }
}
