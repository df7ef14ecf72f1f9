/** An error response: status, code, message, and the path in the body. */
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
