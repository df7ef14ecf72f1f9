// `node apps/relay/src/testing/write-prepared-database.ts <folder>`: creates the folder of an embedded PostgreSQL whose
// database has all migrations and no rows. The end-to-end tests copy the folder, because creating one takes most of the
// time of a first start.
import { resolve } from 'node:path'
import { startEmbeddedPostgres } from '../store/embedded/embedded-postgres.ts'
import { migrate, readMigrations } from '../store/migrations/migrate.ts'
import { migrationsFolder } from '../store/migrations/migrations-folder.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: write-prepared-database.ts <folder>')
const report = (line: string) => void process.stderr.write(`PostgreSQL: ${line}\n`)
const server = await startEmbeddedPostgres({ folder: resolve(folder), report, durable: false })
try {
  await migrate(server.url, readMigrations(migrationsFolder()))
} finally {
  await server.stop()
}
