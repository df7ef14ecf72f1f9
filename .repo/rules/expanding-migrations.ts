import { posix } from 'node:path'
import { migrationsOf, releasesIn, sqlChecksum } from './released-migrations.ts'
import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'
import { type Statement, statementsOf } from './sql-statements.ts'

/**
 * Relays of the previous release use the database during and after a migration. So a migration must only add, and must
 * not hold a lock while PostgreSQL reads a whole table. If a statement removes something, the comment above it says
 * since which release it is unused (`-- Unused since 0.2.0`). If a statement forbids values that were permitted, such
 * as null, the comment says since which release the program writes only permitted values (`-- Written since 0.2.0`). If
 * a statement locks an existing table, the comment says why the lock is harmless (`-- Locks: <reason>`). A migration of
 * a release must not be changed.
 */
export const expandingMigrations: Rule = (tree) => {
  const releases = releasesIn(tree)
  const released = new Map(releases.flatMap(({ migrations }) => Object.entries(migrations)))
  const migrations = migrationsOf(tree)
  return [
    ...[...released.keys()].filter((name) => !migrations.has(name)).map((name) => missing(name)),
    ...[...migrations].flatMap(([name, file]) => {
      const checksum = released.get(name)
      if (checksum === undefined) return problemsOf(tree, file, new Set(releases.map(({ version }) => version)))
      if (checksum === sqlChecksum(tree.read(file))) return []
      return [{ file, problem: 'is part of a release and must not change: write a new migration' }]
    }),
  ]
}

function missing(name: string): Violation {
  const file = posix.join('prisma/migrations', name, 'migration.sql')
  return { file, problem: 'is part of a release and must not be removed or renamed' }
}

function problemsOf(tree: RepositoryTree, file: string, versions: ReadonlySet<string>): Violation[] {
  const statements = statementsOf(tree.read(file))
  const created = new Set(statements.flatMap(({ code }) => tableCreatedBy(code) ?? indexCreatedBy(code) ?? []))
  const isConcurrent = statements.some(({ code }) => /\bCONCURRENTLY\b/i.test(code))
  return [
    ...(isConcurrent && statements.length > 1
      ? [
          {
            file,
            problem: 'a statement with CONCURRENTLY must be alone in its migration: move it to a separate migration',
          },
        ]
      : []),
    ...statements.flatMap((statement) =>
      [breakage(statement, created, versions), lock(statement, created)].flatMap((problem) =>
        problem === undefined ? [] : [{ file, line: statement.line, problem }],
      ),
    ),
  ]
}

/** Statements that make the previous release fail, each with its effect. */
const BREAKING: readonly (readonly [RegExp, string])[] = [
  [/\bDROP\s+(?:TABLE|COLUMN|TYPE|VIEW|SEQUENCE|SCHEMA|FUNCTION|TRIGGER|CONSTRAINT|DEFAULT)\b/i, 'removes'],
  [/^TRUNCATE\b/i, 'removes'],
  [/\bRENAME\b/i, 'renames'],
  [/\bALTER\s+(?:COLUMN\s+)?\S+\s+(?:SET\s+DATA\s+)?TYPE\b/i, 'changes the type of'],
  [/\bSET\s+NOT\s+NULL\b/i, 'forbids null in'],
  [/\bADD\s+(?:CONSTRAINT\s+\S+\s+)?(?:CHECK|UNIQUE|EXCLUDE|PRIMARY\s+KEY)\b/i, 'restricts'],
  [/^CREATE\s+UNIQUE\s+INDEX\b/i, 'restricts'],
]

function breakage(
  { code, comment }: Statement,
  created: ReadonlySet<string>,
  versions: ReadonlySet<string>,
): string | undefined {
  if (isOnCreated(code, created)) return undefined
  const found =
    BREAKING.find(([pattern]) => pattern.test(code))?.[1] ?? (addsRequiredColumn(code) ? 'requires' : undefined)
  if (found === undefined) return undefined
  const [, version] = /\b(?:unused|written) since v?(\d[\w.-]*\w)/i.exec(comment) ?? []
  const what = `${found} something that a relay of the previous release may use`
  if (version === undefined)
    return `${what}: above the statement, name the release that stopped using it (-- Unused since 0.2.0)`
  return versions.has(version) ? undefined : `${what}, and ${version} is not a release in apps/e2e/releases`
}

/** Matches a new column without a default. The previous release writes no value into it, so its inserts would fail. */
function addsRequiredColumn(code: string): boolean {
  return code
    .split(/\bADD\s+COLUMN\b/i)
    .slice(1)
    .some(
      (column) =>
        /\b(?:NOT\s+NULL|PRIMARY\s+KEY)\b/i.test(column) && !/\bDEFAULT\b|SERIAL\b|\bGENERATED\b/i.test(column),
    )
}

function lock({ code, comment }: Statement, created: ReadonlySet<string>): string | undefined {
  if (isOnCreated(code, created) || /\bLocks: \S/.test(comment)) return undefined
  const reason = locksLong(code)
  return reason && `${reason}, or explain above the statement why this is harmless (-- Locks: <reason>)`
}

function locksLong(code: string): string | undefined {
  const index = /^(?:CREATE(?:\s+UNIQUE)?|DROP)\s+INDEX\b/i.test(code)
  if (index && !/\bCONCURRENTLY\b/i.test(code)) return 'blocks writes to an existing table: use CONCURRENTLY'
  if (index && !/\bIF\s+(?:NOT\s+)?EXISTS\b/i.test(code))
    return 'fails when it is repeated after a crash: use IF (NOT) EXISTS'
  if (/\bADD\s+(?:CONSTRAINT\s+\S+\s+)?(?:FOREIGN\s+KEY|CHECK)\b/i.test(code) && !/\bNOT\s+VALID\b/i.test(code))
    return 'reads an existing table under a lock: add the constraint with NOT VALID, and validate it in the next migration'
  if (
    /\bADD\s+COLUMN\b[^;]*(?:SERIAL\b|\bDEFAULT\s[^,]*\b(?:random|nextval|clock_timestamp|gen_random_uuid|timeofday)\b)/i.test(
      code,
    )
  )
    return 'rewrites an existing table: use a constant default'
  if (/^(?:UPDATE|DELETE|LOCK|CLUSTER|VACUUM)\b/i.test(code))
    return 'locks rows of an existing table: let the program change them in batches'
  return undefined
}

const NAME = String.raw`(?:"?public"?\.)?"?(\w+)"?`

function tableCreatedBy(code: string): string | undefined {
  return new RegExp(String.raw`^CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?${NAME}`, 'i').exec(code)?.[1]
}

/** Indexes that are created concurrently are on existing tables, so they don't count. */
function indexCreatedBy(code: string): string | undefined {
  return new RegExp(String.raw`^CREATE\s+INDEX\s+(?!CONCURRENTLY)${NAME}`, 'i').exec(code)?.[1]
}

/**
 * Returns true if the statement is about a table or index that the same migration creates. Such a table is empty and
 * unused, or it has the old name of a table that the migration renames, so that the statements of the previous release
 * use the new table.
 */
function isOnCreated(code: string, created: ReadonlySet<string>): boolean {
  const [, altered] = new RegExp(String.raw`^ALTER\s+(?:TABLE|INDEX)\s+(?:ONLY\s+)?${NAME}`, 'i').exec(code) ?? []
  const [, indexed] = new RegExp(String.raw`^CREATE\s+(?:UNIQUE\s+)?INDEX\b[^(]*?\bON\s+${NAME}`, 'i').exec(code) ?? []
  const table = tableCreatedBy(code) ?? altered ?? indexed
  return table !== undefined && created.has(table)
}
