/** A cancellation request, shared between the caller and the code that does the work. */
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

  /**
   * Calls the listener once, on cancellation, or immediately if the work is already cancelled. Returns a function that
   * removes the listener.
   */
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
