import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { etagOf, mediaTypeOf, type StaticFile } from '../http/answer/static-file.ts'

export interface ConsoleFile extends StaticFile {
  /** Browsers may cache the file without a limit, because its name changes with its content. */
  readonly isImmutable: boolean
}

export interface ConsoleFiles {
  /** Returns the file at a path such as `/assets/main-B1c2d3e4.js`. */
  get(path: string): ConsoleFile | undefined
  /**
   * Returns the page for every view, or undefined when the console is not built. Reads the folder again after a build.
   */
  index(): ConsoleFile | undefined
}

/**
 * Holds the built console in memory, a few hundred kilobytes. Only paths in the map are served, so no request can read
 * a file outside the folder. Symbolic links are not followed.
 */
export function consoleFiles(folder: string): ConsoleFiles {
  let files: ReadonlyMap<string, ConsoleFile> = new Map()
  let readAtMs: number | undefined
  return {
    get: (path) => files.get(path),
    index() {
      const changedMs = statSync(join(folder, INDEX), { throwIfNoEntry: false })?.mtimeMs
      if (changedMs !== readAtMs) files = changedMs === undefined ? new Map() : readFiles(folder)
      readAtMs = changedMs
      return files.get(`/${INDEX}`)
    },
  }
}

const INDEX = 'index.html'
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

function readFiles(folder: string): Map<string, ConsoleFile> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  const existing = new Set(names)
  return new Map(
    names
      .filter((name) => !ENCODINGS.some(([, suffix]) => name.endsWith(suffix)))
      .map((name) => [`/${name.split(sep).join('/')}`, readFile(folder, name, existing)]),
  )
}

function readFile(folder: string, name: string, existing: ReadonlySet<string>): ConsoleFile {
  const bytes = readFileSync(join(folder, name))
  const encoded = ENCODINGS.filter(([, suffix]) => existing.has(name + suffix)).map(
    ([encoding, suffix]) => [encoding, readFileSync(join(folder, name + suffix))] as const,
  )
  return {
    bytes,
    encoded: new Map(encoded),
    mediaType: mediaTypeOf(name),
    etag: etagOf(bytes),
    isImmutable: name.startsWith(`assets${sep}`),
  }
}
