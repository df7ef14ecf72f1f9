import type { RepositoryTree } from '../rules/repository-tree.ts'
import { releaseChanges } from './changelog.ts'

/**
 * Returns the files that change when the repository gets a new version: all manifests, the lockfile, the version that
 * programs print, the names of images, the names of packages in the documentation, the files in `deploy/`, and the
 * changelog.
 */
export function withVersion(tree: RepositoryTree, version: string, date: string): ReadonlyMap<string, string> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`"${version}" is not a version such as 1.2.3`)
  const before = (JSON.parse(tree.read('package.json')) as { version: string }).version
  const changed = new Map<string, string>()
  for (const file of tree.files) {
    const change = changeOf(file)
    if (change === undefined) continue
    const text = tree.read(file)
    const next = change(text, before, version)
    if (next !== text) changed.set(file, next)
  }
  changed.set('CHANGELOG.md', releaseChanges(tree.read('CHANGELOG.md'), version, date))
  return changed
}

type Change = (text: string, before: string, after: string) => string

function changeOf(file: string): Change | undefined {
  if (file === 'package-lock.json') return inLockfile
  if (file === 'package.json' || /^(?:apps|libs|packages)\/[^/]+\/package\.json$|^\.repo\/package\.json$/.test(file))
    return inManifest
  if (/^apps\/[^/]+\/src\/version\.ts$/.test(file))
    return (text, before, after) => text.replace(`'${before}'`, `'${after}'`)
  if (/^docker-compose[^/]*\.yml$|^compose[^/]*\.yaml$/.test(file)) return inImageNames
  if (file.startsWith('deploy/') || file.endsWith('/Dockerfile')) return inDeployment
  if (file.endsWith('.md'))
    return (text, before, after) => inImageNames(text, before, after).replaceAll(`smsgw_${before}_`, `smsgw_${after}_`)
  return undefined
}

const inImageNames: Change = (text, before, after) =>
  text.replaceAll(new RegExp(`(smsgw[\\w/}-]*):${escaped(before)}\\b`, 'g'), `$1:${after}`)

/** Charts, roles and add-ons name the version of the product as `version:`, `appVersion:` or `VERSION=`. */
const inDeployment: Change = (text, before, after) =>
  inImageNames(text, before, after)
    .replaceAll(
      new RegExp(`^(version|appVersion|smsgw_version): (["']?)${escaped(before)}\\2$`, 'gm'),
      `$1: $2${after}$2`,
    )
    .replaceAll(`ARG VERSION=${before}\n`, `ARG VERSION=${after}\n`)
    .replaceAll(`smsgw_${before}_`, `smsgw_${after}_`)

const inManifest: Change = (text, before, after) =>
  text
    .replace(`"version": "${before}"`, `"version": "${after}"`)
    .replaceAll(new RegExp(`("@smsgw/[\\w-]+": )"${escaped(before)}"`, 'g'), `$1"${after}"`)

/** Packages of this repository are outside `node_modules`. */
const inLockfile: Change = (text, before, after) => {
  const lock = JSON.parse(text) as { version?: string; packages: Record<string, Record<string, unknown>> }
  if (lock.version === before) lock.version = after
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path.includes('node_modules/')) continue
    if (entry['version'] === before) entry['version'] = after
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
      const listed = entry[kind] as Record<string, string> | undefined
      for (const name of Object.keys(listed ?? {}))
        if (listed && name.startsWith('@smsgw/') && listed[name] === before) listed[name] = after
    }
  }
  return `${JSON.stringify(lock, undefined, 2)}\n`
}

function escaped(version: string): string {
  return version.replaceAll('.', '\\.')
}
