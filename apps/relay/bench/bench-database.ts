import { join } from 'node:path'
import { Pool } from 'pg'
import { startEmbeddedPostgres } from '../src/store/embedded/embedded-postgres.ts'
import { migrate, readMigrations } from '../src/store/migrations/migrate.ts'
import { migrationsFolder } from '../src/store/migrations/migrations-folder.ts'
import { withScratchFolder } from '../src/testing/scratch-folder.ts'

export interface BenchDatabase {
  readonly url: string
  readonly pool: Pool
  /** The process id of PostgreSQL. */
  readonly pid: number
}

export type PostgresSettings = Readonly<Record<string, string>>

/** Provides a database with all migrations and durable commits. */
export async function withBenchDatabase(
  work: (database: BenchDatabase) => Promise<void>,
  /**
   * Without `folder`, the database has no rows and is deleted afterwards. With it, the database is created or used
   * again in this folder, which no other program uses. `settings` differ from those of a gateway.
   */
  { folder, settings = {} }: { readonly folder?: string | undefined; readonly settings?: PostgresSettings } = {},
): Promise<void> {
  await withScratchFolder('bench', async (scratch) => {
    const report = (line: string) => process.stderr.write(`PostgreSQL: ${line}\n`)
    const server = await startEmbeddedPostgres({ folder: folder ?? join(scratch.path, 'database'), report, settings })
    scratch.endBefore(() => server.stop())
    const pool = new Pool({ connectionString: server.url, max: 2 })
    // While the server stops, it may still report an error on a connection that is already closed.
    pool.on('error', () => undefined)
    scratch.endBefore(() => pool.end())
    await migrate(server.url, readMigrations(migrationsFolder()))
    await work({ url: server.url, pool, pid: server.pid() })
  })
}
