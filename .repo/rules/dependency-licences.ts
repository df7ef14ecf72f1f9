import type { RepositoryTree, Rule } from './repository-tree.ts'

const LOCK = 'package-lock.json'

/** Licences that permit copies in packages and images, and set no conditions for the source of this repository. */
const ALLOWED = new Set([
  '(MIT OR CC0-1.0)',
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MIT and ISC',
  'Unlicense',
])

/** Packages with another licence. A person has read these licences. */
const READ = new Set([
  // EPL-2.0. It is used for a page of the Prisma command line, which no package or image contains.
  'elkjs',
  // Its LICENSE file is MIT.
  'seq-queue',
])

/** Checks that each dependency, except those for development, has a licence that allows its distribution. */
export const dependencyLicences: Rule = (tree: RepositoryTree) => {
  if (!tree.files.includes(LOCK)) return []
  const { packages = {} } = JSON.parse(tree.read(LOCK)) as { packages?: Readonly<Record<string, LockedPackage>> }
  return Object.entries(packages).flatMap(([path, { license, dev, link }]) => {
    const name = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1]
    if (name === undefined || dev || link || ALLOWED.has(license ?? '') || READ.has(name)) return []
    return [
      {
        file: LOCK,
        problem: `${path} has the licence ${license ?? '(none)'}: read the licence, then allow it in .repo/rules/dependency-licences.ts, or remove the package`,
      },
    ]
  })
}

interface LockedPackage {
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}
