/** What each key does: `n`, or `g c` for one after the other. */
export type Keys = Readonly<Record<string, () => void>>

const sequenceMs = 1_500

/**
 * Tells of one key after the other what is to be done. Only a key that begins a sequence is remembered: any other means
 * itself, however fast it follows.
 */
export class KeySequence {
  readonly #keys: Keys
  #begun: { readonly key: string; readonly atMs: number } | undefined

  constructor(keys: Keys) {
    this.#keys = keys
  }

  /** What follows is no second key of it. */
  forget(): void {
    this.#begun = undefined
  }

  next(key: string, atMs: number): (() => void) | undefined {
    const begun = this.#begun
    const together =
      begun !== undefined && atMs - begun.atMs < sequenceMs ? this.#keys[`${begun.key} ${key}`] : undefined
    const isBeginning = together === undefined && Object.keys(this.#keys).some((keys) => keys.startsWith(`${key} `))
    this.#begun = isBeginning ? { key, atMs } : undefined
    return together ?? this.#keys[key]
  }
}
