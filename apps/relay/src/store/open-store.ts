import { join } from 'node:path'
import { takeDataFolder, tryDataFolder } from '@smsgw/daemon/files/data-folder'
import type { Log } from '@smsgw/daemon/log/log'
import type { RelayConfig } from '../config.ts'
import type { CoreDeps } from '../core-deps.ts'
import { checkPooledSession } from './connection/check-pooled-session.ts'
import { waitForDatabase } from './connection/wait-for-database.ts'
import { connectDatabase, type Database } from './database.ts'
import { DatabaseDisk, databasePlace } from './database-disk.ts'
import { runningPostgres, startEmbeddedPostgres } from './embedded/embedded-postgres.ts'
import { checkInstallation, type Installation } from './installation.ts'
import { migrate, readMigrations } from './migrations/migrate.ts'
import { migrationsFolder } from './migrations/migrations-folder.ts'

export interface Store {
  /** The URL for connections outside the pool. These connections need a session. */
  readonly url: string
  readonly database: Database
  readonly disk: DatabaseDisk
  readonly installation: Installation
  close(): Promise<void>
}

export interface StoreDeps extends Pick<CoreDeps, 'box' | 'random'> {
  readonly config: Pick<
    RelayConfig,
    'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_CONNECTIONS' | 'DATABASE_WAIT_SECONDS' | 'DATA_DIR'
  >
  readonly log: Log
}

/** Connects to the database, applies migrations and checks SERVER_SECRET. */
export async function openRelayStore({ config, box, random, log }: StoreDeps): Promise<Store> {
  const server = await databaseServer(config, log)
  const disk = new DatabaseDisk({ ...databasePlace(config), log })
  const { poolerUrl } = server
  const database = connectDatabase({
    url: poolerUrl ?? server.url,
    isPooled: poolerUrl !== undefined,
    connections: config.DATABASE_CONNECTIONS,
    onDiskFull: (message) => disk.reportFull(message),
  })
  disk.watch(database)
  const close = async () => {
    disk.stop()
    await database.$disconnect()
    await server.stop()
  }
  try {
    const waitMs = config.DATABASE_WAIT_SECONDS * 1000
    const report = (line: string) => log.warn(line)
    await waitForDatabase(server.url, { waitMs, report })
    const migrations = await migrate(server.url, readMigrations(migrationsFolder()), { report })
    if (poolerUrl !== undefined) await checkPooledSession(poolerUrl)
    if (migrations.length > 0) log.info({ migrations }, 'database migrations applied')
    const installation = await checkInstallation(database, box, random)
    return { url: server.url, database, disk, installation, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Server {
  /** The URL of the server itself, without a pooler. */
  readonly url: string
  /** The URL of a pooler in front of the server, if there is one. */
  readonly poolerUrl?: string | undefined
  stop(): Promise<void>
}

/** Returns the configured server, or starts an embedded server in DATA_DIR, which the caller has locked. */
export async function databaseServer(
  { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl, DATA_DIR: folder }: StoreDeps['config'],
  log: Log,
): Promise<Server> {
  if (url !== undefined) {
    const stop = async () => undefined
    return directUrl === undefined ? { url, stop } : { url: directUrl, poolerUrl: url, stop }
  }
  return startEmbeddedPostgres({
    folder: join(folder, 'database'),
    report: (line) => log.warn({ module: 'database' }, line),
  })
}

/** Waits until the database answers, then runs the work. The database may have any content. */
export async function withDatabase<T>(
  config: StoreDeps['config'],
  log: Log,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = await databaseServer(config, log)
  try {
    const waitMs = config.DATABASE_WAIT_SECONDS * 1000
    await waitForDatabase(server.url, { waitMs, report: (line) => log.warn(line) })
    return await work(server.url)
  } finally {
    await server.stop()
  }
}

/**
 * Returns the URL of the configured database, without its pooler, or of the running embedded database. Returns
 * undefined if the caller has to start the database.
 */
export function runningDatabase({
  DATABASE_URL,
  DATABASE_DIRECT_URL,
  DATA_DIR: folder,
}: Pick<RelayConfig, 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATA_DIR'>): string | undefined {
  const url = DATABASE_DIRECT_URL ?? DATABASE_URL
  if (url !== undefined) return url
  if (!('heldBy' in tryDataFolder(folder))) return undefined
  const running = runningPostgres(join(folder, 'database'))
  // Throws an error that names the owner of the folder, which is a process that is starting or stopping.
  if (running === undefined) takeDataFolder(folder)
  return running
}
