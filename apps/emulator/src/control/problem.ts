/** An answer that is not what was asked for: one code, one sentence, and where in the body when it is there. */
export class ControlProblem extends Error {
  override readonly name = 'ControlProblem'
  readonly status: number
  readonly code: string
  readonly path: string | undefined

  constructor(status: number, code: string, message: string, path?: string) {
    super(message)
    this.status = status
    this.code = code
    this.path = path
  }
}
