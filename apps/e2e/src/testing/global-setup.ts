// Builds the programs before the first test file, because the workers inherit the environment of this process.
import '../house/machine/main-scripts.ts'
import { prepareDatabase } from '../house/machine/prepared-database.ts'

/** @public Vitest requires a function, and calls the returned function at the end. */
export const setup = (): (() => void) => prepareDatabase()
