/** Why the emulator does not start (or cannot go on): the message is the one line that its user reads. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
