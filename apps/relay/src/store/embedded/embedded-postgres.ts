import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { childEnvironment } from '@smsgw/daemon/child-environment'
import { describeDiskOf } from '@smsgw/daemon/disk-space'
import { StartError } from '@smsgw/daemon/start-error'
import { Client } from 'pg'
import { findBinaries } from './binaries.ts'
import { initialise, SUPERUSER } from './initialise.ts'
import { ordinaryUser } from './ordinary-user.ts'
import { endOrphan } from './orphan.ts'
import { startServer } from './server-process.ts'
import { socketFolder } from './socket-folder.ts'

const DATABASE = 'smsgw'
const FIRST_RESTART_MS = 100
const LAST_RESTART_MS = 10_000

export interface EmbeddedPostgres {
  readonly url: string
  /** Process id of the server, for tests that kill it. */
  pid(): number
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  /** Data folder, which the caller has locked. */
  readonly folder: string
  /** Receives messages of the server; never a statement or a value. */
  readonly report: (line: string) => void
  /** False for faster tests: data does not survive a power failure. */
  readonly durable?: boolean
}

/**
 * Starts PostgreSQL for this machine only: no port, a socket that only its owner can reach. The server stops with this
 * process and is restarted when it stops by itself. A server left by a killed process is stopped first.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = resolve(options.folder)
  const { report, durable = true } = options
  const binaries = findBinaries()
  const user = ordinaryUser(binaries.postgres, folder)
  await endOrphan(folder)
  const dieWithUs = dieWithUsPrefix()
  await initialise(folder, { binaries, user, dieWithUs, durable })
  const socket = socketFolder(folder, user)
  const command = [...user.prefix, ...dieWithUs, binaries.postgres, '-D', folder, ...settings(socket.path, durable)]
  const start = () => withDisk(folder, startServer(command, report))
  let server = await start()
  let stopping = false
  const url = (database: string) =>
    `postgresql://${SUPERUSER}@localhost/${database}?host=${encodeURIComponent(socket.path)}`
  await makeDatabase(url('postgres'))
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
  // pid, data folder, start, port, socket folder, address, shared memory, state
  const [, , , , socketFolder, , , state] = readFileSync(file, 'utf8').split('\n')
  return socketFolder && state?.trim() === 'ready' ? socketUrl(socketFolder, DATABASE) : undefined
}

function socketUrl(socketFolder: string, database: string): string {
  return `postgresql://${SUPERUSER}@localhost/${database}?host=${encodeURIComponent(socketFolder)}`
}

async function makeDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
  } finally {
    await client.end()
  }
}

/** On Linux the kernel stops the server when this process dies; elsewhere the next start does. */
function dieWithUsPrefix(): string[] {
  const prefix = ['setpriv', '--pdeathsig', 'INT']
  return spawnSync('setpriv', [...prefix.slice(1), 'true'], { stdio: 'ignore', env: childEnvironment() }).status === 0
    ? prefix
    : []
}

function settings(socketFolder: string, durable: boolean): string[] {
  const values: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
    // A Raspberry Pi has one gigabyte of memory, and writing wears out SD cards.
    shared_buffers: '32MB',
    max_connections: durable ? '60' : '300',
    io_method: 'sync',
    // After a crash syncs the file system once instead of a thousand files.
    ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '256MB',
    jit: 'off',
    timezone: 'UTC',
    // Messages about statements would quote their values.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
