/** Work that must not mix: each piece begins when the one before has ended. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<T>(work: () => Promise<T>): Promise<T> {
    // What became of the one before is the business of who asked for it.
    const turn = this.#last.then(work, work)
    this.#last = turn
    return turn
  }
}
