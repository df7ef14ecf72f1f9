/** Shortcuts by key, for example `n`, or `g c` for a sequence of two. */
export type KeyActions = Readonly<Record<string, () => void>>

const sequenceMs = 1_500

/**
 * Finds the shortcut of each pressed key. Only a key that can begin a sequence is remembered, so any other key runs its
 * own shortcut at once.
 */
export class KeySequence {
  readonly #keys: KeyActions
  #begun: { readonly key: string; readonly atMs: number } | undefined

  constructor(keys: KeyActions) {
    this.#keys = keys
  }

  /** Forgets the first key of a sequence. */
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

/**
 * Returns the pressed key. On a keyboard for another alphabet, returns the letter that a Latin keyboard has at the same
 * position.
 */
export function pressedKey({ key, code, shiftKey }: Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>): string {
  if (/^[\x20-\x7e]/.test(key)) return key
  if (code === 'Slash') return shiftKey ? '?' : '/'
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? key
}
