/**
 * Places where a test ends the process at once, as a power cut would. In service they do nothing: one of them does when
 * `aimAt` is told its name, which comes from the configuration.
 */
export class CrashPoints<Label extends string> {
  readonly #labels: readonly Label[]
  #target: { readonly label: Label; passes: number } | undefined

  constructor(labels: readonly Label[]) {
    this.#labels = labels
  }

  readonly pass = (label: Label): void => {
    if (this.#target?.label !== label) return
    this.#target.passes -= 1
    if (this.#target.passes === 0) process.kill(process.pid, 'SIGKILL')
  }

  /** `after-commit`, or `after-commit:3` for the third time. */
  aimAt(aim: string | undefined): void {
    const [name, pass = '1'] = aim?.split(':') ?? []
    if (name === undefined || name === '') return
    const label = this.#labels.find((each) => each === name)
    if (label === undefined) throw new Error(`there is no crash point ${name}: ${this.#labels.join(', ')}`)
    this.#target = { label, passes: Number(pass) }
  }
}
