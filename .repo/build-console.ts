// Builds the console into apps/console/dist with compressed copies of its files, unless it is up to date.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { extname, join, relative, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { build } from 'vite'
import { isConsoleFresh } from './console-freshness.ts'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'apps/console')
const place = join(folder, 'dist')

if (!isConsoleFresh()) {
  // The parent process may be a test, and its NODE_ENV would double the size of the console.
  process.env['NODE_ENV'] = 'production'
  // Loads Vite only for a build, because loading it takes longer than to see that the console is fresh.
  const { build } = await import('vite')
  const { licencesOf } = await import('./packaging/licences.ts')
  // Builds the console in another folder. So a concurrent server or build never sees an incomplete console.
  const beside = join(root, `.cache/console-${process.pid}`)
  const previousMs = modifiedMs(join(place, '.built'))
  mkdirSync(beside, { recursive: true })
  try {
    const built = await build({
      configFile: join(folder, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: beside },
    })
    writeFileSync(join(beside, 'licences.txt'), licencesOf(root, modulesOf(built)))
    compress(beside)
    replace(beside, previousMs)
  } finally {
    rmSync(beside, { recursive: true, force: true })
  }
}

/** Every input file, relative to the root of the repository. */
function modulesOf(built: Awaited<ReturnType<typeof build>>): string[] {
  const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
  return outputs.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds.map((id) => relative(root, id)) : []))
}

/**
 * First copies the files with a hash in their names, then the page that names them. Then deletes the unused files of
 * previous builds. Keeps newer unused files, because they may belong to a concurrent build. The next build deletes
 * them.
 */
function replace(beside: string, previousMs: number): void {
  mkdirSync(join(place, 'assets'), { recursive: true })
  const used = new Set(readdirSync(join(beside, 'assets')))
  for (const name of used) renameSync(join(beside, 'assets', name), join(place, 'assets', name))
  const others = readdirSync(beside).filter((name) => name !== 'assets' && name !== 'index.html')
  for (const name of [...others, 'index.html']) renameSync(join(beside, name), join(place, name))
  for (const name of readdirSync(join(place, 'assets'))) {
    const file = join(place, 'assets', name)
    // A concurrent build may delete the same file.
    if (!used.has(name) && modifiedMs(file) <= previousMs) rmSync(file, { force: true })
  }
  writeFileSync(join(place, '.built'), '')
}

/** Returns 0 if the file does not exist. */
function modifiedMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function compress(within: string): void {
  for (const entry of readdirSync(within, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !['.js', '.css', '.html', '.svg'].includes(extname(entry.name))) continue
    const file = join(entry.parentPath, entry.name)
    const content = readFileSync(file)
    // Level 10 makes the files five per cent smaller than level 9, but takes three times as long. The highest level
    // makes them only two per cent smaller and takes twice as long as level 10.
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }))
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
  }
}
