/**
 * Replaces numbers with invented ones of the same length: the same number always gets the same replacement, so a recording stays
 * consistent. The replacements are counted, so they contain nothing of the originals.
 */
export class Pseudonyms {
  readonly #known = new Map<string, string>()
  readonly #made = new Set<string>()

  /** `digits` may contain other characters of a dialled number (`*`, `#`, `a` to `c`), which are replaced too. */
  of(digits: string, kind: keyof typeof beginnings = 'number'): string {
    const known = this.#known.get(digits)
    if (known !== undefined) return known
    // The quoted parts of a line are replaced first, so the replacement may be read again with the rest of the line.
    if (this.#made.has(digits)) return digits
    const count = String(this.#known.size + 1)
    const start = beginnings[kind].slice(0, Math.max(0, digits.length - count.length))
    const made = (start + count.padStart(digits.length - start.length, '0')).slice(-digits.length)
    this.#known.set(digits, made)
    this.#made.add(made)
    return made
  }
}

/** Prefixes that no real number has: a country code, a TAC, a test network, an issuer of SIMs. */
const beginnings = { number: '999', imei: '00', imsi: '00101', iccid: '8999' } as const
