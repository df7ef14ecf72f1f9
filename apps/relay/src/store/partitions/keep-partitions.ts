import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@smsgw/daemon/log/log'
import { type Client, DatabaseError } from 'pg'
import { databaseClient, NO_TIMEOUTS } from '../connection/database-client.ts'
import {
  CHECK_VIOLATION,
  deleteExpiredFromDefault,
  dropPartition,
  endExclusions,
  isDefaultLarge,
  lastExpiry,
  makeFuturePartition,
  makePartition,
  type Partition,
  type PartitionedTable,
  type Period,
  readKeptDays,
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
/** One account with a long retention must not delay the deletion of all others for years. */
const MOST_DAYS = 31
/**
 * A table with fewer rows is divided by weeks. Each database session needs 0.1 MB for each partition, and a small
 * machine has little memory.
 */
const SMALL_TABLE_ROWS = 1_000_000
const TRIES = 10
const PAUSE_MS = 1_000
/** The SQL states `lock_not_available` and `deadlock_detected`. */
const LOCK_ERRORS = ['55P03', '40P01']
const INSUFFICIENT_PRIVILEGE = '42501'

export interface KeepPartitionsDeps {
  /** The URL for connections outside the pool. */
  readonly url: string
  readonly log: Log
  readonly now: Date
  /** The pause before another try, in milliseconds. */
  readonly pauseMs?: number
}

/**
 * Makes the missing partitions of the next days. Drops the partitions whose rows have all expired. If other
 * transactions hold the required locks, this is tried again, first after a second and finally in the next run.
 * Meanwhile, rows of a day without a partition are stored in the default partition.
 */
export async function keepPartitions(deps: KeepPartitionsDeps, table: PartitionedTable): Promise<void> {
  const { log, now } = deps
  await withClient(deps, table, async (client) => {
    await makeMissing(client, deps, table, TRIES)
    const expiry = lastExpiry(now, await readKeptDays(client, table))
    await deleteExpiredFromDefault(client, table, expiry)
    for (const partition of await readPartitions(client, table)) {
      if (partition.until > expiry) continue
      if (await retrying(() => dropPartition(client, table, partition, now), deps, TRIES))
        log.info({ partition: partition.name }, 'dropped partition with expired rows')
    }
  })
}

/**
 * Makes the missing partitions of the next days, with one try. A failure is logged and does not stop the start, because
 * the default partition stores the rows.
 */
export async function makePartitionsAtStart(deps: KeepPartitionsDeps, table: PartitionedTable): Promise<void> {
  try {
    await withClient(deps, table, (client) => makeMissing(client, deps, table, 1))
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    deps.log.error({ table: table.name, err: error }, 'could not make partitions, retrying in an hour')
  }
}

/**
 * Runs the work on a connection of its own, unless another relay is changing the partitions of the table. Logs errors
 * that the operator can resolve while the relay runs.
 */
async function withClient(
  { url, log }: KeepPartitionsDeps,
  { name: table }: PartitionedTable,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const client = databaseClient({ url, options: NO_TIMEOUTS, application_name: 'smsgw partitions' })
  await client.connect()
  try {
    // The lock ends with the connection.
    const { rows } = await client.query<{ isMine: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS "isMine"',
      [`smsgw partitions of ${table}`],
    )
    if (rows[0]?.isMine) await work(client)
  } catch (error) {
    if (isLocked(error))
      log.warn({ table, err: error }, 'could not lock a table to change its partitions, retrying in an hour')
    else if (stateOf(error) === INSUFFICIENT_PRIVILEGE)
      log.error({ table, err: error }, 'could not change partitions: the database role must own the table')
    else throw error
  } finally {
    await client.end()
  }
}

/** Future periods come first, because they need no rows from the default partition. */
async function makeMissing(
  client: Client,
  deps: KeepPartitionsDeps,
  table: PartitionedTable,
  tries: number,
): Promise<void> {
  const { log, now } = deps
  const keptDays = await readKeptDays(client, table)
  await retrying(() => endExclusions(client, table), deps, tries)
  for (const period of missingPeriods(await readPartitions(client, table), now, keptDays).toReversed())
    try {
      const isFuture = period.from > now
      const make = isFuture && (await isDefaultLarge(client, table)) ? makeFuturePartition : makePartition
      await retrying(() => make(client, table, period), deps, tries)
    } catch (error) {
      if (stateOf(error) !== CHECK_VIOLATION) throw error
      log.warn(
        { table: table.name, from: period.from, err: error },
        'could not move rows from the default partition, retrying in an hour',
      )
    }
}

async function retrying<Result>(
  work: () => Promise<Result>,
  { pauseMs = PAUSE_MS }: KeepPartitionsDeps,
  mostTries: number,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (tries >= mostTries || !isLocked(error)) throw error
      await sleep(pauseMs)
    }
  }
}

/** Returns the periods of the next days that no partition covers. */
export function missingPeriods(partitions: readonly Partition[], now: Date, keptDays: number): Period[] {
  const isSmall = partitions.reduce((sum, { rows }) => sum + Math.max(rows, 0), 0) < SMALL_TABLE_ROWS
  const lengthMs = Math.min(Math.max(isSmall ? 7 : 1, Math.ceil(keptDays / MOST_PARTITIONS)), MOST_DAYS) * DAY_MS
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

function startOf({ from }: Partition): number {
  return from?.getTime() ?? -Infinity
}

function isLocked(error: unknown): boolean {
  return LOCK_ERRORS.includes(stateOf(error) ?? '')
}

/** Returns the SQL state. */
function stateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}
