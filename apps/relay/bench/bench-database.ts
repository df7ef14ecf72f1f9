import { join } from 'node:path'
import { Pool } from 'pg'
import { startEmbeddedPostgres } from '../src/store/embedded/embedded-postgres.ts'
import { migrate, readMigrations } from '../src/store/migrations/migrate.ts'
import { migrationsFolder } from '../src/store/migrations/migrations-folder.ts'
import { withScratchFolder } from '../src/testing/scratch-folder.ts'

export interface BenchDatabase {
  readonly url: string
  readonly pool: Pool
}

/** Provides a database for one run, with all migrations, no rows and durable commits. */
export async function withBenchDatabase(work: (database: BenchDatabase) => Promise<void>): Promise<void> {
  await withScratchFolder('bench', async (folder) => {
    const report = (line: string) => process.stderr.write(`PostgreSQL: ${line}\n`)
    const server = await startEmbeddedPostgres({ folder: join(folder.path, 'database'), report })
    folder.endBefore(() => server.stop())
    const pool = new Pool({ connectionString: server.url, max: 2 })
    // While the server stops, it may still report an error on a connection that is already closed.
    pool.on('error', () => undefined)
    folder.endBefore(() => pool.end())
    await migrate(server.url, readMigrations(migrationsFolder()))
    await work({ url: server.url, pool })
  })
}
