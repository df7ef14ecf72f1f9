/** Stops the start with one clear line: what is wrong and what to do. Never holds a secret. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
