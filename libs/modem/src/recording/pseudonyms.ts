/**
 * Replaces each number with an invented number of the same length. The same number always gets the same replacement, so
 * a recording stays consistent. The replacements contain a counter, and no digits of the original numbers.
 */
export class Pseudonyms {
  readonly #known = new Map<string, string>()
  readonly #made = new Set<string>()

  /** `digits` may contain other characters of a dialled number (`*`, `#`, `a` to `c`), which are replaced too. */
  of(digits: string, kind: keyof typeof beginnings = 'number'): string {
    const known = this.#known.get(digits)
    if (known !== undefined) return known
    // Keeps a number that is already a replacement, because the quoted parts of a line are replaced before the whole
    // line.
    if (this.#made.has(digits)) return digits
    const count = String(this.#known.size + 1)
    const start = beginnings[kind].slice(0, Math.max(0, digits.length - count.length))
    const made = (start + count.padStart(digits.length - start.length, '0')).slice(-digits.length)
    this.#known.set(digits, made)
    this.#made.add(made)
    return made
  }
}

/**
 * Prefixes that real numbers do not have: a country code, a TAC and a SIM issuer that are all unused, and the code of a
 * test network.
 */
const beginnings = { number: '999', imei: '00', imsi: '00101', iccid: '8999' } as const
