import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../store/embedded/embedded-postgres.ts'
import { migrate, readMigrations } from '../store/migrations/migrate.ts'
import { databaseUrl } from './database-url.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests create databases, and the name of the template database. */
    postgres: { readonly url: string; readonly template: string }
  }
}

/**
 * Starts one PostgreSQL per run with a migrated template database, which every test file copies.
 *
 * @public used by the configuration of the tests
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServer()
  const template = `smsgw_template_${process.pid}_${Date.now()}`
  await withClient(server.url, (client) => client.query(`CREATE DATABASE ${template}`))
  await migrate(databaseUrl(server.url, template), readMigrations(MIGRATIONS))
  project.provide('postgres', { url: server.url, template })
  return async () => {
    await withClient(server.url, (client) => client.query(`DROP DATABASE ${template} WITH (FORCE)`))
    await server.stop()
  }
}

const MIGRATIONS = resolve(import.meta.dirname, '../../../../prisma/migrations')

/** Uses the server of `SMSGW_TEST_DATABASE_URL`, or starts one. */
async function startServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env['SMSGW_TEST_DATABASE_URL']
  if (given) return { url: given, stop: async () => undefined }
  const folder = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'smsgw-test-'))
  // Reports only messages about the server itself, because tests cause other messages on purpose.
  const report = (line: string) => line.includes('embedded') && process.stderr.write(`PostgreSQL: ${line}\n`)
  const server = await startEmbeddedPostgres({ folder: join(folder, 'database'), report, durable: false })
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Returns the folder that Linux keeps in memory, if there is enough space in this folder. Creating a test database
 * there takes 20 ms; on a disk it takes up to 500 ms.
 */
function memoryFolder(): string | undefined {
  const folder = '/dev/shm'
  if (!existsSync(folder)) return undefined
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= ROOM_BYTES ? folder : undefined
}

const ROOM_BYTES = 2 * 1024 ** 3

async function withClient(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
