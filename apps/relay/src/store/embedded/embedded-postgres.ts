import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { childEnvironment } from '@smsgw/daemon/child-environment'
import { describeDiskOf } from '@smsgw/daemon/files/disk-space'
import { StartError } from '@smsgw/daemon/start-error'
import { Client } from 'pg'
import { findBinaries } from './binaries.ts'
import { initialise, SUPERUSER } from './initialise.ts'
import { handOver, type OrdinaryUser, ordinaryUser } from './ordinary-user.ts'
import { endOrphan } from './orphan.ts'
import { startServer } from './server-process.ts'

const DATABASE = 'smsgw'
const FIRST_RESTART_MS = 100
const LAST_RESTART_MS = 10_000

export interface EmbeddedPostgres {
  readonly url: string
  /** The process id of the server, for tests that kill it. */
  pid(): number
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  /** The data folder, which the caller has locked. */
  readonly folder: string
  /** Receives messages of the server. They never contain a statement or a value. */
  readonly report: (line: string) => void
  /** True by default. Tests set it to false and are faster, because their data does not survive a power failure. */
  readonly durable?: boolean
  /** Other values for settings of PostgreSQL, for benches that compare them. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * Starts PostgreSQL without a port and with a socket that only its owner can reach. The server stops with this process
 * and is restarted when it stops unexpectedly. If a killed process has left a server running, this server is stopped
 * first.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = resolve(options.folder)
  const { report, durable = true, settings = {} } = options
  const binaries = findBinaries()
  const user = ordinaryUser(binaries.postgres, folder)
  await endOrphan(folder)
  const dieWithUs = dieWithUsPrefix()
  await initialise(folder, { binaries, user, dieWithUs, durable })
  const socket = socketFolder(folder, user)
  const command = [
    ...user.prefix,
    ...dieWithUs,
    binaries.postgres,
    '-D',
    folder,
    ...serverOptions(socket.path, durable, settings),
  ]
  const start = () => withDisk(folder, startServer(command, report))
  let server = await start()
  let stopping = false
  await createDatabase(socketUrl(socket.path, 'postgres'))
  void keepAlive()

  async function keepAlive(): Promise<void> {
    for (let pauseMs = FIRST_RESTART_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_RESTART_MS)) {
      await server.ended
      if (stopping) return
      report(`embedded PostgreSQL stopped unexpectedly, restarting in ${pauseMs} ms`)
      await sleep(pauseMs, undefined, { ref: false })
      if (stopping) return
      try {
        await endOrphan(folder)
        server = await start()
        pauseMs = FIRST_RESTART_MS / 2
      } catch (error) {
        report(error instanceof Error ? error.message : String(error))
      }
    }
  }

  return {
    url: socketUrl(socket.path, DATABASE),
    pid: () => server.pid,
    async stop() {
      stopping = true
      await server.stop()
      socket.remove()
    },
  }
}

/** Adds the free space to the error of a server that cannot start because its disk is full. */
async function withDisk<T>(folder: string, started: Promise<T>): Promise<T> {
  try {
    return await started
  } catch (error) {
    if (!(error instanceof StartError) || !/No space left on device/.test(error.message)) throw error
    throw new StartError(`${error.message}. Disk full: ${describeDiskOf(folder)}`, { cause: error })
  }
}

/** Returns the URL of the server that another process runs on this folder, or undefined. */
export function runningPostgres(folder: string): string | undefined {
  const file = join(resolve(folder), 'postmaster.pid')
  if (!existsSync(file)) return undefined
  // The lines of the file: pid, data folder, start, port, socket folder, address, shared memory, state.
  const [, , , , socketFolder, , , state] = readFileSync(file, 'utf8').split('\n')
  return socketFolder && state?.trim() === 'ready' ? socketUrl(socketFolder, DATABASE) : undefined
}

function socketUrl(socketFolder: string, database: string): string {
  return `postgresql://${SUPERUSER}@localhost/${database}?host=${encodeURIComponent(socketFolder)}`
}

async function createDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
  } finally {
    await client.end()
  }
}

/**
 * Returns a command prefix that makes Linux stop the server when this process ends. Other systems have no such prefix,
 * so the next start stops the server.
 */
function dieWithUsPrefix(): string[] {
  const prefix = ['setpriv', '--pdeathsig', 'INT']
  return spawnSync('setpriv', [...prefix.slice(1), 'true'], { stdio: 'ignore', env: childEnvironment() }).status === 0
    ? prefix
    : []
}

function serverOptions(socketFolder: string, durable: boolean, others: Readonly<Record<string, string>>): string[] {
  const values: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
    // These values suit a Raspberry Pi with one gigabyte of memory and an SD card, which every write wears out.
    shared_buffers: '32MB',
    max_connections: durable ? '60' : '300',
    io_method: 'sync',
    // After a crash, PostgreSQL syncs the whole file system, instead of a thousand single files.
    ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '256MB',
    jit: 'off',
    timezone: 'UTC',
    // Logs no messages about statements, because they would contain values.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...others,
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

const SOCKET_NAME = '.s.PGSQL.5432'
/** The path of a socket has at most 108 bytes on Linux and 104 on macOS, including the final zero. */
const LONGEST_PATH = 103

interface SocketFolder {
  readonly path: string
  remove(): void
}

/**
 * Returns the data folder, which only its owner may enter. If the path of a socket in the data folder would be too
 * long, returns a private folder in /tmp.
 */
function socketFolder(dataFolder: string, user: OrdinaryUser): SocketFolder {
  if (Buffer.byteLength(join(dataFolder, SOCKET_NAME)) <= LONGEST_PATH)
    return { path: dataFolder, remove: () => undefined }
  const path = mkdtempSync(join(tmpdir(), 'smsgw-'))
  handOver(path, user)
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
