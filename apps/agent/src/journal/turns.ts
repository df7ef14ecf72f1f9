/** Runs tasks with the same name one after the other, in the order of the calls; other tasks run at the same time. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  take<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = names.flatMap((name) => this.#last.get(name) ?? [])
    const done = before.length === 0 ? work() : Promise.allSettled(before).then(work)
    const over: Promise<void> = done.then(
      () => this.#forget(names, over),
      () => this.#forget(names, over),
    )
    for (const name of names) this.#last.set(name, over)
    return done
  }

  #forget(names: readonly string[], over: Promise<unknown>): void {
    for (const name of names) if (this.#last.get(name) === over) this.#last.delete(name)
  }
}
