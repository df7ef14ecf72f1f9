// `npm run migration -- <name>` writes a new migration for the changes in prisma/schema.prisma.
// Read and complete the migration before you commit it. Without a name, the command only prints the migration.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { startEmbeddedPostgres } from '../src/store/embedded/embedded-postgres.ts'
import { migrate, readMigrations } from '../src/store/migrations/migrate.ts'
import { schemaDifference } from './schema-difference.ts'

const MIGRATIONS = resolve(import.meta.dirname, '../../../prisma/migrations')

const [name] = process.argv.slice(2)
const sql = await missingSql()
if (sql === '') process.stdout.write('the migrations match prisma/schema.prisma: nothing to write\n')
else if (name === undefined) process.stdout.write(`${sql}\n`)
else process.stdout.write(`wrote ${relative('.', write(name, sql))}: read it, complete it, commit it\n`)

async function missingSql(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-migration-'))
  const report = (line: string) => process.stderr.write(`PostgreSQL: ${line}\n`)
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'database'), report, durable: false })
  try {
    await migrate(postgres.url, readMigrations(MIGRATIONS))
    return await schemaDifference(postgres.url)
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function write(name: string, sql: string): string {
  const numbers = readdirSync(MIGRATIONS).map((folder) => Number.parseInt(folder, 10) || 0)
  const number = String(Math.max(0, ...numbers) + 1).padStart(4, '0')
  const folder = join(MIGRATIONS, `${number}_${name.toLowerCase().replace(/[^a-z0-9]+/g, '_')}`)
  mkdirSync(folder)
  const file = join(folder, 'migration.sql')
  writeFileSync(file, `${sql}\n`)
  return file
}
