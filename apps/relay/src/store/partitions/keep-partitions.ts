import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@smsgw/daemon/log/log'
import { DatabaseError } from 'pg'
import { databaseClient, NO_TIMEOUTS } from '../connection/database-client.ts'
import {
  dropPartition,
  makePartitions,
  type Partition,
  type PartitionedTable,
  type Period,
  readPartitions,
} from './partitions.ts'

const DAY_MS = 86_400_000
/** Partitions are made for this many days ahead, so there is time if another transaction refuses the locks. */
const DAYS_AHEAD = 3
/**
 * With more partitions, queries for lists become slow. So if rows are kept longer, each partition covers a longer
 * period.
 */
const MOST_PARTITIONS = 60
/**
 * A table with fewer rows is divided by weeks. Each database session needs 0.1 MB for each partition, and a small machine has little
 * memory.
 */
const SMALL_TABLE_ROWS = 1_000_000
const TRIES = 10
const PAUSE_MS = 1_000
/** The SQL states `lock_not_available`, `deadlock_detected`, and `check_violation` if a row of the period was added meanwhile. */
const TRANSIENT = ['55P03', '40P01', '23514']

export interface KeepPartitionsDeps {
  /** The URL for connections outside the pool. */
  readonly url: string
  readonly log: Log
  readonly now: Date
  /** The pause before another try, in milliseconds. */
  readonly pauseMs?: number
}

/**
 * Makes the missing partitions of the next days. Drops the partitions whose rows are all older than `keptDays`, which
 * must be the longest retention of all accounts. If other transactions hold the required locks, this is tried again,
 * first after a second and finally in the next run. Meanwhile, rows of a day without a partition are stored in the
 * default partition.
 */
export async function keepPartitions(
  { url, log, now, pauseMs = PAUSE_MS }: KeepPartitionsDeps,
  table: PartitionedTable,
  keptDays: number,
): Promise<void> {
  const client = databaseClient({ url, options: NO_TIMEOUTS, application_name: 'smsgw partitions' })
  await client.connect()
  try {
    await retrying(() => makePartitions(client, table, (existing) => missingPeriods(existing, now, keptDays)))
    for (const partition of unneeded(await readPartitions(client, table), now, keptDays)) {
      await retrying(() => dropPartition(client, partition))
      log.info({ partition: partition.name }, 'dropped partition with expired rows')
    }
  } catch (error) {
    if (!isTransient(error)) throw error
    log.warn({ table: table.name, err: error }, 'could not lock a table to change its partitions, retrying in an hour')
  } finally {
    await client.end()
  }

  async function retrying(work: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work()
      } catch (error) {
        if (tries === TRIES || !isTransient(error)) throw error
        await sleep(pauseMs)
      }
    }
  }
}

/** Returns the periods of the next days that no partition covers. */
export function missingPeriods(partitions: readonly Partition[], now: Date, keptDays: number): Period[] {
  const isSmall = partitions.reduce((sum, { rows }) => sum + Math.max(rows, 0), 0) < SMALL_TABLE_ROWS
  const lengthMs = Math.max(isSmall ? 7 : 1, Math.ceil(keptDays / MOST_PARTITIONS)) * DAY_MS
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const missing: Period[] = []
  for (let from = today; from <= today + DAYS_AHEAD * DAY_MS; ) {
    const covering = partitions.find((one) => startOf(one) <= from && from < one.until.getTime())
    const later = partitions.map(startOf).filter((start) => start > from)
    const until = covering?.until.getTime() ?? Math.min(from + lengthMs, ...later)
    if (covering === undefined) missing.push({ from: new Date(from), until: new Date(until) })
    from = until
  }
  return missing
}

/** Returns the partitions whose rows are all older than the longest retention. */
function unneeded(partitions: readonly Partition[], now: Date, keptDays: number): Partition[] {
  return partitions.filter(({ until }) => until.getTime() <= now.getTime() - keptDays * DAY_MS)
}

function startOf({ from }: Partition): number {
  return from?.getTime() ?? -Infinity
}

function isTransient(error: unknown): boolean {
  return error instanceof DatabaseError && TRANSIENT.includes(error.code ?? '')
}
