/**
 * An error that ends the process. The process prints the message on one line. The message names the problem and the
 * solution, and never contains a secret.
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
