/** The steps of a proof, with the duration of each. After a failed step, the other steps are skipped. */
export class ProofSteps {
  passed = 0
  failed = 0
  readonly #subject: string

  constructor(subject: string) {
    this.#subject = subject
  }

  async step<T>(name: string, work: () => T | Promise<T>): Promise<T | undefined> {
    if (this.failed > 0) return undefined
    const beganAt = performance.now()
    const line = () => `${this.#subject} ${name} (${((performance.now() - beganAt) / 1000).toFixed(1)} s)`
    try {
      const result = await work()
      this.passed += 1
      process.stdout.write(`ok    ${line()}\n`)
      return result
    } catch (error) {
      this.failed += 1
      process.stdout.write(`FAIL  ${line()}: ${error instanceof Error ? error.stack : error}\n`)
      return undefined
    }
  }
}
