import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { type Architecture, appBundles, nativePackages } from './app-bundle.ts'
import { lockedPackage } from './locked-package.ts'

/**
 * Fills a folder with the output of `npm run build` and with the native packages that the output needs. The apps run
 * from this folder on Linux with that architecture:
 *
 *     <folder>/<app>/main.js … <folder>/node_modules/… <folder>/package.json
 */
export function assembleApps(
  root: string,
  folder: string,
  { apps, architecture, built = join(root, 'dist') }: Assembly,
): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ type: 'module', private: true })}\n`)
  for (const app of apps) {
    const from = join(built, app)
    if (!existsSync(from)) throw new Error(`there is no ${from}: run \`npm run build\` first`)
    cpSync(from, join(folder, app), { recursive: true, filter: (file) => !file.endsWith('.map') })
  }
  const wanted = new Set(apps.flatMap((app) => appBundles[app]?.native ?? []))
  for (const each of wanted) {
    for (const name of nativePackages[each](architecture)) {
      copyPackage(root, lockedPackage(root, name), join(folder, 'node_modules', name), architecture)
    }
  }
}

interface Assembly {
  readonly apps: readonly string[]
  readonly architecture: Architecture
  /** The folder that contains the output of `npm run build`. */
  readonly built?: string | undefined
}

/**
 * Copies a package and its dependencies. A dependency that is inside the folder of the package is copied with the
 * package.
 */
function copyPackage(root: string, from: string, to: string, architecture: Architecture): void {
  if (existsSync(to)) return
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => isNeeded(relative(from, file), architecture),
  })
  makeLinks(to)
  const { dependencies = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    if (COMPILE_ONLY.includes(name)) continue
    const own = join(from, 'node_modules', name)
    if (existsSync(own)) copyPackage(root, own, join(to, 'node_modules', name), architecture)
    else copyPackage(root, lockedPackage(root, name), join(dirnameOfModules(to), name), architecture)
  }
}

/** Packages that contain only C++ headers. */
const COMPILE_ONLY = ['node-addon-api']

function isNeeded(file: string, architecture: Architecture): boolean {
  if (/(^|\/)(node_modules|binding\.gyp|pkgconfig|pgxs|pg_ctl)$|\.(md|a|d\.ts|map)$/.test(file)) {
    return /licen[cs]e/i.test(basename(file))
  }
  // Skips sources of native code, and the scripts that compile them.
  if (/^src\/.*\.(cpp|h)$|^scripts$|^(bin|optional|build-test)\.js$/.test(file)) return false
  // Skips the sources of koffi, and its code for musl.
  if (/^(vendor|doc|musl_\w+|lib\/native|src\/koffi\/src\/abi)$/.test(file)) return false
  if (/^src\/koffi\/.*\.(cc|hh|inc|def|txt)$|^cnoke\.cjs$/.test(file)) return false
  const [, platform, addon] = /^prebuilds\/([^/]+)(?:\/(.+))?$/.exec(file) ?? []
  return platform === undefined || (platform === `linux-${architecture}` && !addon?.includes('.musl.'))
}

/**
 * Creates the links to the libraries of PostgreSQL. Its package only lists them, because npm packages cannot contain
 * links.
 */
function makeLinks(folder: string): void {
  const list = join(folder, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    if (/\.a$|pkgconfig/.test(target) || existsSync(join(folder, target))) continue
    symlinkSync(relative(dirname(target), source), join(folder, target))
  }
}

function dirnameOfModules(folder: string): string {
  return folder.slice(0, folder.lastIndexOf('node_modules') + 'node_modules'.length)
}
