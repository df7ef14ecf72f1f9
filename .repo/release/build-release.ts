import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sameEveryTime } from '../packaging/pack-folder.ts'
import { sbomOf } from './sbom.ts'

export interface ReleaseBuild {
  /** The repository. */
  readonly root: string
  readonly commit: string
  readonly version: string
  /** The time of the commit. All built files get this time. */
  readonly madeAt: Date
  readonly architectures: readonly string[]
  /** Also builds the container images from this base image, which needs buildah. */
  readonly baseImage?: string | undefined
}

/**
 * Builds the files of a release from a clean clone of the commit. The files are Debian packages, npm packages of the
 * programs and of the projects that are public, the Helm chart, the list of all components, and container images in the
 * folder `images`.
 */
export function buildRelease(
  { root, commit, version, madeAt, architectures, baseImage }: ReleaseBuild,
  into: string,
): void {
  const source = mkdtempSync(join(tmpdir(), 'smsgw-release-'))
  const epoch = String(Math.floor(madeAt.getTime() / 1000))
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, {
      cwd: source,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, SOURCE_DATE_EPOCH: epoch, CI: 'true', NODE_IMAGE: baseImage },
    })
  try {
    run('git', 'clone', '--quiet', '--no-checkout', root, '.')
    run('git', 'checkout', '--quiet', '--detach', commit)
    run('npm', 'ci', '--prefer-offline')
    run('npm', 'run', 'deb', '--', ...architectures)
    mkdirSync(into, { recursive: true })
    for (const file of readdirSync(join(source, 'dist')).filter((name) => name.endsWith('.deb')))
      copyFileSync(join(source, 'dist', file), join(into, file))
    if (baseImage !== undefined) {
      run('npm', 'run', 'images', '--', ...architectures, '--fresh')
      cpSync(join(source, 'dist/images'), join(into, 'images'), { recursive: true })
      const digests = `smsgw-${version}-images.txt`
      copyFileSync(join(source, 'dist', digests), join(into, digests))
    }
    for (const folder of publicPackages(source)) run('npm', 'run', 'pack', '--', folder, '--into', into)
    run('npm', 'run', 'pack', '--', 'smsgw', ...architectures, '--into', into)
    packChart({ root: source, version, epoch }, into)
    const lockfile = readFileSync(join(source, 'package-lock.json'), 'utf8')
    writeFileSync(join(into, `smsgw-${version}.cdx.json`), sbomOf({ version, lockfile, madeAt }))
  } finally {
    rmSync(source, { recursive: true, force: true })
  }
}

/** Packs the Helm chart as `helm package` does. Unlike that command, gives the same file each time. */
export function packChart({ root, version, epoch }: ChartBuild, into: string): string {
  const file = join(into, `smsgw-${version}.tgz`)
  const archive = execFileSync('tar', [
    ...sameEveryTime(epoch),
    '--create',
    '--directory',
    join(root, 'deploy/helm'),
    'smsgw',
  ])
  writeFileSync(file, gzipSync(archive, { level: 9 }))
  return file
}

interface ChartBuild {
  readonly root: string
  readonly version: string
  /** The time of the files in the chart, in seconds since 1970. */
  readonly epoch: string
}

/** Returns the projects without `"private": true`. */
export function publicPackages(root: string): string[] {
  const kinds = ['apps', 'libs', 'packages'].filter((kind) => existsSync(join(root, kind)))
  return kinds.flatMap((kind) =>
    readdirSync(join(root, kind))
      .map((name) => `${kind}/${name}`)
      .filter((folder) => existsSync(join(root, folder, 'package.json')))
      .filter((folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).private !== true),
  )
}

/**
 * Returns the files that differ between two builds. For a Debian package, returns the different files in the package.
 * Images are compared by the file that contains their digests.
 */
export function differencesOf(one: string, other: string): string[] {
  const names = [...new Set([one, other].flatMap(filesIn))].sort()
  return names.flatMap((name) => {
    const [first, second] = [join(one, name), join(other, name)]
    if (!existsSync(first) || !existsSync(second)) return [`${name} exists in only one of the builds`]
    if (checksumOf(first) === checksumOf(second)) return []
    return name.endsWith('.deb') ? differencesInside(name, first, second) : [name]
  })
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

function differencesInside(name: string, one: string, other: string): string[] {
  const folders = [one, other].map((file) => {
    const folder = mkdtempSync(join(tmpdir(), 'smsgw-compare-'))
    execFileSync('dpkg-deb', ['--raw-extract', file, folder])
    return folder
  })
  try {
    const [first, second] = folders.map(checksumsBelow)
    const paths = [...new Set([...(first?.keys() ?? []), ...(second?.keys() ?? [])])].sort()
    const differing = paths.filter((path) => first?.get(path) !== second?.get(path))
    return differing.length > 0
      ? differing.map((path) => `${name}: ${path}`)
      : [`${name}: the files inside are the same, but their times, modes or compression differ`]
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}

function checksumsBelow(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length + 1), checksumOf(path)]
    }),
  )
}

export function checksumOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
