import type { RepositoryTree } from './repository-tree.ts'

/** The members of a `package.json` that the rules read. */
export interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly nx?: { readonly targets?: Readonly<Record<string, object>> }
  readonly dependencies?: Dependencies
  readonly devDependencies?: Dependencies
  readonly optionalDependencies?: Dependencies
}

export type Dependencies = Readonly<Record<string, string>>

export function readManifest(tree: RepositoryTree, file: string): Manifest {
  return JSON.parse(tree.read(file)) as Manifest
}

/** Returns the `name` in each `@smsgw/name`, which is also the name of a folder. */
export function workspacePackages(dependencies: Dependencies | undefined): string[] {
  return Object.keys(dependencies ?? {})
    .filter((name) => name.startsWith('@smsgw/'))
    .map((name) => name.slice('@smsgw/'.length))
}
