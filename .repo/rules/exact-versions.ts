import { readManifest, workspacePackages } from './manifest.ts'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'

/** Checks that manifests name one exact version of each dependency, so that every machine gets the same versions. */
export const exactVersions: Rule = (tree) => {
  const versions = projectVersions(tree)
  return tree.files
    .filter((file) => /(?:^|\/)package\.json$/.test(file))
    .flatMap((file) => manifestProblems(tree, file, versions))
}

const EXACT = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/

function projectVersions(tree: RepositoryTree): Map<string, string | undefined> {
  const manifests = tree.files.filter((file) => /^(?:apps|libs|packages)\/[^/]+\/package\.json$/.test(file))
  return new Map(manifests.map((file) => [file.split('/')[1] ?? '', readManifest(tree, file).version]))
}

function manifestProblems(
  tree: RepositoryTree,
  file: string,
  versions: ReadonlyMap<string, string | undefined>,
): Violation[] {
  const manifest = readManifest(tree, file)
  const violations: Violation[] = []
  for (const listed of [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies]) {
    for (const [name, version] of Object.entries(listed ?? {})) {
      if (!EXACT.test(version)) violations.push({ file, problem: `${name} "${version}" is not one exact version` })
    }
    for (const project of workspacePackages(listed)) {
      const [version, own] = [listed?.[`@smsgw/${project}`] ?? '', versions.get(project)]
      if (EXACT.test(version) && version !== own)
        violations.push({ file, problem: `@smsgw/${project} "${version}" is not ${own}, the version of the project` })
    }
  }
  return violations
}
