import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Architecture } from '../packaging/app-bundle.ts'
import { type Release, releasesIn } from '../rules/released-migrations.ts'
import { treeOfWorkingCopy } from '../rules/repository-tree.ts'

/** Returns the newest release in `apps/e2e/releases`. */
export function previousRelease(root: string): Release {
  const newest = releasesIn(treeOfWorkingCopy(root))
    .toSorted((one, other) => compareVersions(one.version, other.version))
    .at(-1)
  if (newest === undefined) throw new Error('apps/e2e/releases contains no release')
  return newest
}

/** Orders versions such as 0.10.0, 0.10.0-pre.1 and 0.9.0 from old to new. */
export function compareVersions(one: string, other: string): number {
  const [core = '', pre] = one.split(/-(.*)/)
  const [otherCore = '', otherPre] = other.split(/-(.*)/)
  const byNumbers = core.localeCompare(otherCore, 'en', { numeric: true })
  if (byNumbers !== 0) return byNumbers
  if (pre === undefined || otherPre === undefined) return Number(pre === undefined) - Number(otherPre === undefined)
  return pre.localeCompare(otherPre, 'en', { numeric: true })
}

/** For Debian, 0.1.0~pre.1 is older than 0.1.0, but 0.1.0-pre.1 is newer. */
export function debianVersion(version: string): string {
  return version.replace('-', '~')
}

/**
 * Returns the Debian package of a release. Builds the package from its commit, unless `.cache/releases` contains the
 * package.
 */
export function packageOfRelease(root: string, { version, commit }: Release, architecture: Architecture): string {
  const cache = join(root, '.cache/releases', version)
  const debian = architecture === 'x64' ? 'amd64' : architecture
  const file = join(cache, `smsgw_${debianVersion(version)}_${debian}.deb`)
  if (existsSync(file)) return file
  const source = mkdtempSync(join(tmpdir(), 'smsgw-previous-'))
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, {
      cwd: source,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, CI: 'true' },
    })
  try {
    run('git', 'clone', '--quiet', '--no-checkout', root, '.')
    run('git', 'checkout', '--quiet', '--detach', commit)
    run('npm', 'ci', '--prefer-offline')
    setVersion(join(source, 'package.json'), debianVersion(version))
    run('npm', 'run', 'deb', '--', debian)
    const built = readdirSync(join(source, 'dist')).find((name) => name.endsWith(`_${debian}.deb`))
    if (built === undefined) throw new Error(`commit ${commit} built no package for ${debian}`)
    mkdirSync(cache, { recursive: true })
    execFileSync('cp', [join(source, 'dist', built), `${file}.new`])
    renameSync(`${file}.new`, file)
    return file
  } finally {
    rmSync(source, { recursive: true, force: true })
  }
}

/** Gives the sources the version of the release, because a build without a tag has the version of the next release. */
function setVersion(manifest: string, version: string): void {
  const text = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, text.replace(/"version": "[^"]*"/, `"version": "${version}"`))
}

/** Unpacks a package into the folder, unless the folder already contains it. Returns the folder of its programs. */
export function extractPackage(deb: string, folder: string): string {
  if (!existsSync(folder)) {
    rmSync(`${folder}.new`, { recursive: true, force: true })
    execFileSync('dpkg-deb', ['--extract', deb, `${folder}.new`])
    renameSync(`${folder}.new`, folder)
  }
  return join(folder, 'usr/lib/smsgw')
}
