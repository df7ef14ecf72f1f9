import { createHash } from 'node:crypto'
import type { RepositoryTree } from './repository-tree.ts'
import { statementsOf } from './sql-statements.ts'

/** A release whose data later releases must open. Its folder also holds a backup that was made with it. */
export interface Release {
  readonly version: string
  readonly commit: string
  /** The SHA-256 of each migration's statements, by the name of the migration. */
  readonly migrations: Readonly<Record<string, string>>
}

/** The folder that contains one folder for each release. */
const RELEASES = 'apps/e2e/releases'

export function releasesIn(tree: RepositoryTree): Release[] {
  const files = tree.files.filter((file) => file.startsWith(`${RELEASES}/`) && file.endsWith('/release.json'))
  return files.map((file) => JSON.parse(tree.read(file)) as Release)
}

/** The file of each migration, by its name. */
export function migrationsOf(tree: RepositoryTree): ReadonlyMap<string, string> {
  const files = tree.files.filter((file) => /^prisma\/migrations\/[^/]+\/migration\.sql$/.test(file))
  return new Map(files.map((file) => [file.split('/')[2] ?? '', file]))
}

/** Returns the checksums of the migrations of a release. */
export function migrationChecksums(tree: RepositoryTree): Readonly<Record<string, string>> {
  return Object.fromEntries([...migrationsOf(tree)].map(([name, file]) => [name, sqlChecksum(tree.read(file))]))
}

/** Removes comments and spaces. They may change after a release, because they have no effect on the database. */
export function sqlChecksum(text: string): string {
  const statements = statementsOf(text).map(({ sql }) => sql.replaceAll(/\s+/g, ' '))
  return createHash('sha256').update(statements.join(';\n')).digest('hex')
}
