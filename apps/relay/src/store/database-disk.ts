import { join, resolve } from 'node:path'
import {
  CRITICAL_FREE_BYTES,
  type DiskSpace,
  describeDiskSpace,
  LOW_FREE_BYTES,
  readDiskSpace,
} from '@smsgw/daemon/files/disk-space'
import type { Log } from '@smsgw/daemon/log/log'
import type { RelayConfig } from '../config.ts'
import type { HealthSource } from '../health/health-sources.ts'
import { databaseHosts } from './connection/database-address.ts'
import { isDatabaseUnavailable } from './connection/database-unavailable.ts'
import type { Database } from './database.ts'
import { testDiskSpace } from './test-disk-space-statement.ts'

export interface DatabaseDiskDeps {
  /** The folder of the embedded database; undefined for a database server, because its disk cannot be examined. */
  readonly folder: string | undefined
  /** The host of the database server; empty for the embedded database. */
  readonly host: string
  readonly log: Pick<Log, 'error' | 'info'>
  readonly retryMs?: number
}

/** Returns where the database with these settings keeps its files. */
export function databasePlace({
  DATABASE_URL: url,
  DATA_DIR: folder,
}: Pick<RelayConfig, 'DATABASE_URL' | 'DATA_DIR'>): Pick<DatabaseDiskDeps, 'folder' | 'host'> {
  if (url === undefined) return { folder: resolve(join(folder, 'database')), host: '' }
  return { folder: undefined, host: databaseHosts(url) }
}

/**
 * Detects that the disk of the database is full, reports it in health checks, log and answers, and detects when the
 * disk has space again.
 *
 * States: has space → full: the server reported `disk_full` for any statement, or a test write failed. full → has
 * space: a test write succeeded. Test writes are repeated while the disk is full, because requests may have stopped.
 */
export class DatabaseDisk {
  readonly #deps: DatabaseDiskDeps
  #database: Database | undefined
  #isFull = false
  #retry: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(deps: DatabaseDiskDeps) {
    this.#deps = deps
  }

  /**
   * Uses this database to test the disk. Before this call, a disk that was reported as full stays marked as full,
   * because it cannot be tested.
   */
  watch(database: Database): void {
    this.#database = database
  }

  /** Called when the server reported a full disk. */
  reportFull(message: string): void {
    if (this.#isFull || this.#isStopped) return
    this.#isFull = true
    this.#deps.log.error({ reason: message }, `disk full: ${this.#text()}; requests that write are answered with 503`)
    this.#retryLater()
  }

  /** Returns the answer to a request that failed because the disk is full, or undefined if the disk is not full. */
  problem(): string | undefined {
    if (!this.#isFull && !isCritical(this.#space())) return undefined
    return `The disk of the database is full: ${this.#text()}. Free disk space there, then try again`
  }

  /** A health check that fails while writes fail, and warns if the disk of the embedded database will soon be full. */
  health(): HealthSource {
    return {
      name: 'database:disk',
      probes: ['ready'],
      check: async () => {
        const before = this.#space()
        if (this.#isFull || isCritical(before)) await this.#test()
        const space = this.#space()
        const free = { observedValue: mebibytes(space), observedUnit: 'MiB' }
        if (this.#isFull) return { status: 'fail', description: `disk full: ${this.#text()}`, ...free }
        if (space === undefined)
          return {
            status: 'pass',
            description: 'no write has failed because of a full disk',
            observedValue: 0,
            observedUnit: '',
          }
        const isLow = space.freeBytes < LOW_FREE_BYTES || !space.hasInodes
        return { status: isLow ? 'warn' : 'pass', description: `disk space: ${describeDiskSpace(space)}`, ...free }
      },
    }
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#retry)
  }

  /** Tests whether writes succeed, in order to detect that the disk has space again. */
  async #test(): Promise<void> {
    if (this.#database === undefined) return
    try {
      await testDiskSpace(this.#database)
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        // If the disk is full, an embedded server possibly cannot start, and so cannot report the full disk. Therefore,
        // checks the free space here.
        if (isCritical(this.#space())) this.reportFull((error as Error).message)
        return
      }
      // If the test write is not permitted, the disk counts as having space until a write reports a full disk.
    }
    if (!this.#isFull || this.#isStopped) return
    this.#isFull = false
    clearTimeout(this.#retry)
    this.#deps.log.info(`disk has space again: ${this.#text()}; requests that write are served again`)
  }

  #retryLater(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      void this.#test().then(() => {
        if (this.#isFull && !this.#isStopped) this.#retryLater()
      })
    }, this.#deps.retryMs ?? RETRY_MS).unref()
  }

  #space(): DiskSpace | undefined {
    const { folder } = this.#deps
    return folder === undefined ? undefined : readDiskSpace(folder)
  }

  #text(): string {
    const space = this.#space()
    return space === undefined ? `database server ${this.#deps.host}` : describeDiskSpace(space)
  }
}

const RETRY_MS = 5_000

/**
 * Returns true if writes may fail. The free space of a database server is unknown, so only the server can report a full
 * disk.
 */
function isCritical(space: DiskSpace | undefined): boolean {
  return space !== undefined && (space.freeBytes < CRITICAL_FREE_BYTES || !space.hasInodes)
}

function mebibytes(space: DiskSpace | undefined): number {
  return Math.min(Math.floor((space?.freeBytes ?? 0) / 2 ** 20), 2 ** 31 - 1)
}
