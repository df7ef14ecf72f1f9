import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * Returns the console folder next to the bundle of a packaged relay, or else the build folder of the repository. In a
 * clone, a link next to the bundle leads to the build folder, which need not exist yet.
 */
export function consoleFolder(place = import.meta.dirname): string {
  const beside = resolve(place, 'console')
  return lstatSync(beside, { throwIfNoEntry: false }) ? beside : resolve(place, '../../../console/dist')
}
