import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type Architecture, appBundles } from './app-bundle.ts'
import { assembleApps } from './assemble-apps.ts'
import { lockedPackage } from './locked-package.ts'
import { packFolder } from './pack-folder.ts'

export interface NpmPrograms {
  readonly version: string
  readonly architectures: readonly Architecture[]
  /** The folder that contains the output of `npm run build`. */
  readonly built: string
  /** The folder for the packages. */
  readonly into: string
  /** The level of gzip, from 1 (quick and large) to 9 (slow and small). */
  readonly compression?: number
}

const root = resolve(import.meta.dirname, '../..')
const sources = join(import.meta.dirname, 'npm')

/**
 * Builds the npm packages of the programs. One package for each architecture contains Node and everything that the
 * programs load. The package `smsgw` contains no programs: it makes npm install the package for the architecture of the
 * machine. Returns the paths of the packages.
 */
export function buildNpm({ version, architectures, built, into, compression = 9 }: NpmPrograms): readonly string[] {
  mkdirSync(into, { recursive: true })
  const packages = architectures.map((architecture) =>
    inFolder((folder) => {
      layPrograms(folder, { version, architecture, built })
      return packFolder(folder, join(into, `smsgw-linux-${architecture}-${version}.tgz`), compression)
    }),
  )
  const command = inFolder((folder) => {
    layCommand(folder, version, architectures)
    return packFolder(folder, join(into, `smsgw-command-${version}.tgz`), compression)
  })
  return [...packages, command]
}

const COMMON = {
  description: 'An SMS gateway for USB GSM modems: HTTP API, webhooks, console, database and modems in one program',
  license: 'Apache-2.0',
  engines: { node: '>=18' },
  os: ['linux'],
}

interface Programs extends Pick<NpmPrograms, 'version' | 'built'> {
  readonly architecture: Architecture
}

function layPrograms(folder: string, { version, architecture, built }: Programs): void {
  layManifest(folder, {
    name: `@smsgw/linux-${architecture}`,
    version,
    ...COMMON,
    cpu: [architecture],
    libc: ['glibc'],
    bin: { smsgw: 'bin/smsgw' },
  })
  // The files are not in `node_modules` of the package itself. Otherwise npm would run the install scripts of these
  // packages, and look for dependencies that are not packed.
  const lib = join(folder, 'lib')
  assembleApps(root, lib, { apps: Object.keys(appBundles), architecture, built })
  replaceLinks(lib)
  const node = lockedPackage(root, `node-linux-${architecture}`)
  mkdirSync(join(folder, 'bin'))
  cpSync(join(node, 'bin/node'), join(folder, 'bin/node'))
  cpSync(join(node, 'LICENSE'), join(folder, 'licence-node.txt'))
  cpSync(join(sources, 'smsgw'), join(folder, 'bin/smsgw'))
  for (const program of ['node', 'smsgw']) chmodSync(join(folder, 'bin', program), 0o755)
}

function layCommand(folder: string, version: string, architectures: readonly Architecture[]): void {
  const packages = architectures.map((architecture) => [`@smsgw/linux-${architecture}`, version])
  layManifest(folder, {
    name: 'smsgw',
    version,
    ...COMMON,
    bin: { smsgw: 'smsgw' },
    optionalDependencies: Object.fromEntries(packages),
  })
  cpSync(join(sources, 'find-smsgw'), join(folder, 'smsgw'))
  chmodSync(join(folder, 'smsgw'), 0o755)
}

function layManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  cpSync(join(sources, 'README.md'), join(folder, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}

/**
 * Replaces each link that programs use by the library itself, because npm does not pack links. Removes the links that
 * only compilers use. Also removes the list of links, because the list contains the old names.
 */
function replaceLinks(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  for (const link of files.filter((file) => lstatSync(file).isSymbolicLink())) {
    const library = join(dirname(link), readlinkSync(link))
    rmSync(link)
    if (/\.so\.\d+$/.test(link)) renameSync(library, link)
  }
  for (const list of files.filter((file) => file.endsWith('pg-symlinks.json'))) rmSync(list)
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-npm-'))
  try {
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
