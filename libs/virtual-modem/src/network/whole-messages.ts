import type { LedgerEntry } from './ledger.ts'

/**
 * Joins the parts of long messages by receiver and reference. If too many messages are incomplete, drops the oldest.
 */
export class WholeMessages {
  readonly #parts = new Map<string, Map<number, string>>()

  /** Adds a part. Returns the whole text when all parts have arrived. */
  take(to: string, text: string, part: LedgerEntry['part']): string | undefined {
    if (part === undefined) return text
    const key = `${to} ${part.reference} ${part.total}`
    const parts = this.#parts.get(key) ?? new Map<number, string>()
    this.#parts.set(key, parts.set(part.sequence, text))
    if (parts.size < part.total) {
      const [oldest] = this.#parts.keys()
      if (this.#parts.size > mostIncomplete && oldest !== undefined) this.#parts.delete(oldest)
      return undefined
    }
    this.#parts.delete(key)
    return [...parts]
      .sort(([one], [other]) => one - other)
      .map(([, text]) => text)
      .join('')
  }
}

const mostIncomplete = 50
