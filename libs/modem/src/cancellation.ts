/** A wish to stop, shared between who asks and who works. */
export class Cancellation {
  #cancelled = false
  readonly #listeners = new Set<() => void>()

  get cancelled(): boolean {
    return this.#cancelled
  }

  cancel(): void {
    if (this.#cancelled) return
    this.#cancelled = true
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  /** Calls back once when cancelled (at once if it already is); returns how to stop listening. */
  onCancelled(listener: () => void): () => void {
    if (this.#cancelled) {
      listener()
      return nothingToStop
    }
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

const nothingToStop = (): void => undefined
