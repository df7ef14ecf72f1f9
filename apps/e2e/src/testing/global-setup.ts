// Builds the programs before the first test file, because the workers inherit the environment of this process.
import '../house/machine/main-scripts.ts'

/** @public Vitest requires a function. */
export const setup = (): void => undefined
