// In a checkout, programs run from bundles, as they do in packages. Bundles start in half the time and need 45 MB less
// memory than sources, because Node would have to strip the TypeScript types from the sources at each start. They are
// in .cache/programs. Each state of the sources has its own folder, so a running program keeps the files that it reads
// later.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { appBundles } from './packaging/app-bundle.ts'

export const bundled = ['agent', 'bridge', 'emulator', 'gateway', 'relay', 'smsgw'] as const

export type BuiltProgram = (typeof bundled)[number]

const repository = resolve(import.meta.dirname, '..')

/** Returns the bundle of a program if the present sources have been bundled. */
export function builtProgram(program: BuiltProgram, root = repository): string | undefined {
  const folder = join(folderOf(root), program)
  return isComplete(folder) ? join(folder, 'main.js') : undefined
}

/** Returns the bundle of a program. Builds it if the present sources have not been bundled. */
export async function buildProgram(program: BuiltProgram, root = repository): Promise<string> {
  const main = builtProgram(program, root)
  return main ?? (await buildInto(folderOf(root), program, root))
}

async function buildInto(folder: string, program: BuiltProgram, root: string): Promise<string> {
  if (isComplete(join(folder, program))) return join(folder, program, 'main.js')
  const bundle = appBundles[program]
  if (bundle === undefined) throw new Error(`${program} is not in .repo/packaging/app-bundle.ts`)
  mkdirSync(join(root, '.cache/programs'), { recursive: true })
  const beside = mkdtempSync(join(root, `.cache/programs/building-${process.pid}-`))
  try {
    const { bundleApp } = await import('./packaging/bundle-app.ts')
    await bundleApp(root, beside, bundle)
    linkFiles(root, beside, bundle.beside)
    writeFileSync(join(beside, SIZES), JSON.stringify(sizesOf(beside)))
    mkdirSync(folder, { recursive: true })
    putInPlace(beside, join(folder, program))
  } finally {
    rmSync(beside, { recursive: true, force: true })
  }
  removeUnused(root, folder)
  return join(folder, program, 'main.js')
}

/**
 * Returns the bundles of several programs for a process, and keeps them until the process ends. All are in one folder,
 * even if a source is changed during the build.
 */
export async function buildPrograms<Program extends BuiltProgram>(
  programs: readonly Program[],
  pid = process.pid,
  root = repository,
): Promise<Readonly<Record<Program, string>>> {
  const folder = folderOf(root)
  keep(folder, pid)
  const built = programs.map(async (program) => [program, await buildInto(folder, program, root)] as const)
  return Object.fromEntries(await Promise.all(built)) as Record<Program, string>
}

/**
 * Records that a process needs the bundle with this main script. The folder of the bundle is then kept until the
 * process ends.
 */
export function keepProgram(main: string, pid = process.pid): void {
  keep(dirname(dirname(main)), pid)
}

function keep(folder: string, pid: number): void {
  mkdirSync(folder, { recursive: true })
  for (const other of usersOf(folder)) if (!isRunning(other)) rmSync(join(folder, `${USER}${other}`), { force: true })
  writeFileSync(join(folder, `${USER}${pid}`), '')
}

const USER = 'process-'

function folderOf(root: string): string {
  return join(root, '.cache/programs', fingerprint(root))
}

/** Returns a key for all files that a bundle may contain. If one of these files changes, the key changes. */
function fingerprint(root: string): string {
  const hash = createHash('sha256')
  for (const folder of ['apps', 'libs', 'packages']) {
    for (const project of names(join(root, folder))) addSources(hash, join(root, folder, project, 'src'))
  }
  addSources(hash, join(root, '.repo/packaging'))
  for (const file of ['package-lock.json', '.repo/built-programs.ts']) addFile(hash, join(root, file))
  return hash.digest('hex').slice(0, 16)
}

function addSources(hash: ReturnType<typeof createHash>, folder: string): void {
  if (!existsSync(folder)) return
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
  for (const file of files.sort()) addFile(hash, file)
}

function addFile(hash: ReturnType<typeof createHash>, file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  hash.update(`${file} ${found?.size} ${found?.mtimeMs}\n`)
}

/**
 * The file with the sizes of the files of a bundle. The sizes are checked, because files written shortly before a power
 * failure may be empty.
 */
const SIZES = 'sizes.json'

function sizesOf(folder: string): Readonly<Record<string, number>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(paths.map((path) => [relative(folder, path), statSync(path).size]))
}

function isComplete(folder: string): boolean {
  const list = join(folder, SIZES)
  const text = existsSync(list) ? readFileSync(list, 'utf8') : ''
  if (!text.endsWith('}')) return false
  return Object.entries(JSON.parse(text)).every(
    ([name, size]) => statSync(join(folder, name), { throwIfNoEntry: false })?.size === size,
  )
}

/**
 * Links files to their originals instead of copying them, because the console may be rebuilt when the programs are not.
 */
function linkFiles(root: string, folder: string, beside: Readonly<Record<string, string>>): void {
  for (const [name, from] of Object.entries(beside)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    symlinkSync(join(root, from), join(folder, name))
  }
}

function putInPlace(from: string, to: string): void {
  if (isComplete(to)) return // another start has built it in the meantime
  rmSync(to, { recursive: true, force: true })
  try {
    renameSync(from, to)
  } catch (error) {
    if (!isComplete(to)) throw error
  }
}

/** Removes bundles of earlier sources, except those of programs that are still running. */
function removeUnused(root: string, current: string): void {
  for (const name of names(join(root, '.cache/programs'))) {
    const folder = join(root, '.cache/programs', name)
    if (folder === current || isUsed(folder)) continue
    rmSync(folder, { recursive: true, force: true })
  }
}

function isUsed(folder: string): boolean {
  const builder = /\/building-(\d+)-/.exec(folder)?.[1]
  return [...usersOf(folder), ...(builder === undefined ? [] : [Number(builder)])].some(isRunning)
}

/** Returns the processes that need the programs in a folder. */
function usersOf(folder: string): readonly number[] {
  return names(folder).flatMap((name) => (name.startsWith(USER) ? [Number(name.slice(USER.length))] : []))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' // the process belongs to another user
  }
}

function names(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}
