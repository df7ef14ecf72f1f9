import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'

export interface ConsoleFile {
  readonly bytes: Buffer
  /** Compressed by whoever built it, by the name of the encoding. */
  readonly encoded: ReadonlyMap<string, Buffer>
  readonly mediaType: string
  readonly etag: string
  /** Its name changes with its content. */
  readonly isImmutable: boolean
}

export interface ConsoleFiles {
  /** By path: `/assets/main-B1c2d3e4.js`. */
  get(path: string): ConsoleFile | undefined
  /** What every page begins with; undefined when it was not built. Read anew when it has changed. */
  index(): ConsoleFile | undefined
}

/**
 * A built console, held in memory: it is some hundred kilobytes, and a path that is not in the map leads nowhere, so that
 * none leads out of the folder. Symbolic links are not followed.
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
  const there = new Set(names)
  return new Map(
    names
      .filter((name) => !ENCODINGS.some(([, suffix]) => name.endsWith(suffix)))
      .map((name) => [`/${name.split(sep).join('/')}`, readFile(folder, name, there)]),
  )
}

function readFile(folder: string, name: string, there: ReadonlySet<string>): ConsoleFile {
  const bytes = readFileSync(join(folder, name))
  const encoded = ENCODINGS.filter(([, suffix]) => there.has(name + suffix)).map(
    ([encoding, suffix]) => [encoding, readFileSync(join(folder, name + suffix))] as const,
  )
  return {
    bytes,
    encoded: new Map(encoded),
    mediaType: MEDIA_TYPES[extname(name)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
    isImmutable: name.startsWith(`assets${sep}`),
  }
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}
