/**
 * Ends the process with its message as one line, which describes the problem and the solution. Never contains a secret.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError'
  readonly exitCode: number = 1
}

/** The command line is wrong. */
export class UsageError extends StartError {
  override readonly name = 'UsageError'
  override readonly exitCode = 2
}
