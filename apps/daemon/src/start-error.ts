/** Ends the process with its message as one line: what is wrong and what to do. Never contains a secret. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
