/** Runs tasks one at a time. Each task starts when the previous task has ended. */
export class TaskQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    // The next task starts even if this task fails; the caller of the failed task handles the failure.
    const result = this.#last.then(task, task)
    this.#last = result
    return result
  }
}
