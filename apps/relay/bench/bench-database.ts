import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { startEmbeddedPostgres } from '../src/store/embedded/embedded-postgres.ts'
import { migrate, readMigrations } from '../src/store/migrate.ts'
import { migrationsFolder } from '../src/store/migrations-folder.ts'

export interface BenchDatabase {
  readonly url: string
  readonly pool: Pool
}

/** Of a run alone: every migration, no rows, and whatever it commits is on the disk. */
export async function withBenchDatabase(work: (database: BenchDatabase) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-bench-'))
  const report = (line: string) => process.stderr.write(`PostgreSQL: ${line}\n`)
  const server = await startEmbeddedPostgres({ folder: join(folder, 'database'), report })
  const pool = new Pool({ connectionString: server.url, max: 2 })
  // Closed connections may still hear that the server stops.
  pool.on('error', () => undefined)
  try {
    await migrate(server.url, readMigrations(migrationsFolder()))
    await work({ url: server.url, pool })
  } finally {
    await pool.end()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
