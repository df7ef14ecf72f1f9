import { describe, expect, test } from 'vitest'
import { expandingMigrations } from './expanding-migrations.ts'
import { migrationChecksums } from './released-migrations.ts'
import { treeOfLiterals } from './repository-tree.ts'

const first = 'prisma/migrations/0001_first/migration.sql'
const second = 'prisma/migrations/0002_second/migration.sql'
const release = 'apps/e2e/releases/0.1.0/release.json'
const firstSql = 'CREATE TABLE "notes" ("key" BIGINT NOT NULL);'

function problems(sql: string, changes: Readonly<Record<string, string>> = {}): string[] {
  const migrations = migrationChecksums(treeOfLiterals({ [first]: firstSql }))
  const released = JSON.stringify({ version: '0.1.0', commit: 'c', migrations })
  const tree = treeOfLiterals({ [first]: firstSql, [release]: released, [second]: sql, ...changes })
  return expandingMigrations(tree).map(({ file, line, problem }) => `${file}:${line ?? ''} ${problem}`)
}

describe('refuses a migration that breaks the previous release', () => {
  test.each([
    'ALTER TABLE "notes" DROP COLUMN "text";',
    'DROP TABLE notes;',
    'TRUNCATE notes;',
    'ALTER TABLE notes RENAME COLUMN a TO b;',
    'ALTER TABLE "notes" RENAME TO "remarks";',
    'ALTER TABLE "notes" ALTER COLUMN "key" TYPE INTEGER;',
    'ALTER TABLE "notes" ALTER COLUMN "key" SET DATA TYPE INTEGER;',
    'ALTER TABLE notes ALTER COLUMN text SET NOT NULL;',
    'ALTER TABLE notes ALTER COLUMN text DROP DEFAULT;',
    'ALTER TABLE notes ADD COLUMN a TEXT, ADD COLUMN "kind" TEXT NOT NULL;',
    'ALTER TABLE notes ADD CONSTRAINT short CHECK (length(text) < 10) NOT VALID;',
    'ALTER TABLE notes ADD UNIQUE (text);',
    'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS notes_text ON notes (text);',
    'DROP TRIGGER notes_changed ON notes;',
    "ALTER TYPE kind RENAME VALUE 'a' TO 'b';",
  ])('%s', (sql) => {
    expect(problems(`-- A note.\n${sql}`)).toEqual([
      expect.stringMatching(/^prisma\/migrations\/0002_second\/migration\.sql:2 .*previous release.*-- Unused since/),
    ])
  })
})

describe('refuses a migration that holds a lock while PostgreSQL reads or writes a whole table', () => {
  test.each([
    ['CREATE INDEX notes_text ON notes (text);', 'use CONCURRENTLY'],
    ['DROP INDEX notes_text;', 'use CONCURRENTLY'],
    ['CREATE INDEX CONCURRENTLY notes_text ON notes (text);', 'IF (NOT) EXISTS'],
    ['ALTER TABLE notes ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES others (id);', 'NOT VALID'],
    ['ALTER TABLE notes ADD COLUMN at TIMESTAMPTZ DEFAULT clock_timestamp();', 'constant default'],
    ['ALTER TABLE notes ADD COLUMN seq BIGSERIAL;', 'constant default'],
    ["UPDATE notes SET text = '';", 'in batches'],
  ])('%s', (sql, advice) => {
    expect(problems(sql)).toEqual([expect.stringContaining(advice)])
    expect(problems(`-- Locks: notes never has more than ten rows.\n${sql}`)).toEqual([])
  })
})

test('refuses CONCURRENTLY next to another statement', () => {
  expect(problems('DROP INDEX CONCURRENTLY IF EXISTS a; CREATE TABLE b ();')).toEqual([
    expect.stringContaining('to a separate migration'),
  ])
})

test('accepts a removal if a release has stopped using the removed part', () => {
  expect(problems('-- Unused since 0.1.0.\nALTER TABLE notes DROP COLUMN text;')).toEqual([])
  expect(problems('-- Written since 0.1.0.\nALTER TABLE notes ALTER COLUMN text SET NOT NULL;')).toEqual([])
  expect(problems('-- Unused since 0.2.0.\nALTER TABLE notes DROP COLUMN text;')).toEqual([
    expect.stringContaining('0.2.0 is not a release in apps/e2e/releases'),
  ])
})

test('a reason applies only to the statement below it', () => {
  const sql = '-- Unused since 0.1.0.\nALTER TABLE notes DROP COLUMN a;\n\nALTER TABLE notes DROP COLUMN b;'
  expect(problems(sql)).toEqual([expect.stringContaining('migration.sql:4 removes')])
})

test('accepts a migration that only adds', () => {
  expect(
    problems(`CREATE TABLE marks ("key" BIGINT NOT NULL, note BIGINT);
      CREATE UNIQUE INDEX marks_key ON "marks"("key");
      ALTER TABLE "marks" ADD CONSTRAINT "f" FOREIGN KEY ("note") REFERENCES "notes"("key") ON UPDATE CASCADE;
      ALTER TABLE notes ADD COLUMN "kind" TEXT NOT NULL DEFAULT 'DROP TABLE; RENAME', ADD COLUMN words TEXT[];
      CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM marks; RETURN NULL; END $$;
      CREATE TRIGGER f AFTER DELETE ON notes FOR EACH STATEMENT EXECUTE FUNCTION f();`),
  ).toEqual([])
  expect(problems('CREATE INDEX CONCURRENTLY IF NOT EXISTS notes_text ON notes (text);')).toEqual([])
})

test('accepts the renaming of a table and its indexes if the migration creates others with their names', () => {
  const rename = 'ALTER INDEX "notes_text" RENAME TO "old_text"; ALTER TABLE "notes" RENAME TO "old_notes";'
  expect(problems(rename)).toHaveLength(2)
  const create = 'CREATE TABLE "notes" ("key" BIGINT) PARTITION BY RANGE ("key");'
  expect(problems(`${rename} ${create}`)).toEqual([expect.stringMatching(/renames/)])
  expect(problems(`${rename} ${create} CREATE INDEX "notes_text" ON "notes" ("text");`)).toEqual([])
})

test('refuses to change or remove a migration of a release, but accepts changed comments', () => {
  expect(problems('', { [first]: `-- Better words.\n${firstSql}` })).toEqual([])
  expect(problems('', { [first]: 'CREATE TABLE "notes" ("key" INTEGER NOT NULL);' })).toEqual([
    expect.stringContaining('0001_first/migration.sql: is part of a release and must not change'),
  ])
  const released = JSON.stringify({ version: '0.1.0', commit: 'c', migrations: { '0000_gone': 'x' } })
  expect(problems('', { [release]: released })).toContainEqual(
    expect.stringContaining('0000_gone/migration.sql: is part'),
  )
})
