import type { RepositoryTree } from './repository-tree.ts'

/** What the rules read of a `package.json`. */
export interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Dependencies
  readonly devDependencies?: Dependencies
  readonly optionalDependencies?: Dependencies
}

export type Dependencies = Readonly<Record<string, string>>

export function readManifest(tree: RepositoryTree, file: string): Manifest {
  return JSON.parse(tree.read(file)) as Manifest
}

/** The names in `@smsgw/name`, which are those of the folders. */
export function workspacePackages(dependencies: Dependencies | undefined): string[] {
  return Object.keys(dependencies ?? {})
    .filter((name) => name.startsWith('@smsgw/'))
    .map((name) => name.slice('@smsgw/'.length))
}
