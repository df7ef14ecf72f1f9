/** Stops the emulator with a message that the user reads as one line. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
