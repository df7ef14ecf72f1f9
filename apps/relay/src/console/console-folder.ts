import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** Returns the console folder next to the bundle of a packaged relay, or else the build folder of the repository. */
export function consoleFolder(): string {
  const beside = resolve(import.meta.dirname, 'console')
  return existsSync(beside) ? beside : resolve(import.meta.dirname, '../../../console/dist')
}
