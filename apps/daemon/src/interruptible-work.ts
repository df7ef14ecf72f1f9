/**
 * Work that can be interrupted together. `Promise.race` with one promise for all work would keep each result in memory
 * until that promise is settled.
 */
export class InterruptibleWork {
  readonly #rejections = new Set<(error: unknown) => void>()

  /** Returns the result of the work, or rejects as soon as the work is interrupted. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    const { promise, reject } = Promise.withResolvers<never>()
    this.#rejections.add(reject)
    try {
      return await Promise.race([work, promise])
    } finally {
      this.#rejections.delete(reject)
    }
  }

  /** Rejects the work in progress with this error. */
  interrupt(error: unknown): void {
    for (const reject of this.#rejections) reject(error)
  }
}
