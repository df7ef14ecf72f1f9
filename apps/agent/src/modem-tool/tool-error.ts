/** What the user is to read, in one line, before the tool leaves. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
