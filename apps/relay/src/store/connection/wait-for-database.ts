import { setTimeout as sleep } from 'node:timers/promises'
import { ListenError } from '@smsgw/daemon/listen-problem'
import { StartError } from '@smsgw/daemon/start-error'
import { describeDatabase as describe } from './database-address.ts'
import { databaseClient } from './database-client.ts'
import { isDatabaseUnavailable } from './database-unavailable.ts'

/** Migrations and statements require at least this version of PostgreSQL. */
const OLDEST_VERSION = 14
const LONGEST_PAUSE_MS = 2_000
const RESTART_PAUSE_MS = 500

export interface DatabaseWaitOptions {
  readonly waitMs: number
  /** Receives a line for the operator while the database is unavailable. */
  readonly report: (line: string) => void
}

/** Waits until the database answers. The database may start at the same time as the relay. */
export async function waitForDatabase(url: string, { waitMs, report }: DatabaseWaitOptions): Promise<void> {
  const giveUpAt = performance.now() + waitMs
  for (let tries = 1, pauseMs = 100; ; tries += 1, pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const problem = await tryOnce(url)
    if (problem === undefined) return
    if (performance.now() + pauseMs > giveUpAt) {
      const seconds = Math.round(waitMs / 1000)
      throw new StartError(
        `${describe(url)} does not answer (${problem}). The relay tried ${tries} times in ${seconds} s: ` +
          'start PostgreSQL, or correct DATABASE_URL',
      )
    }
    if (tries === 1) report(`waiting for ${describe(url)}: ${problem}`)
    await sleep(pauseMs)
  }
}

/** Calls `start` again whenever the database becomes unavailable while `start` runs. */
export async function retryUntilAvailable<T>(
  start: () => Promise<T>,
  { waitMs, report }: DatabaseWaitOptions,
): Promise<T> {
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (error instanceof ListenError || !isDatabaseUnavailable(error)) throw error
      if (performance.now() + RESTART_PAUSE_MS > giveUpAt)
        throw new StartError(
          `each start failed because the database became unavailable; gave up after ${Math.round(waitMs / 1000)} s: ` +
            'see the log of PostgreSQL',
          { cause: error },
        )
      report('database became unavailable during the start, starting again')
      await sleep(RESTART_PAUSE_MS)
    }
  }
}

/**
 * Returns why the database does not yet answer, or undefined when it does. Throws if the database will never answer.
 */
async function tryOnce(url: string): Promise<string | undefined> {
  const client = databaseClient({ url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ version: string }>(
      `SELECT current_setting('server_version_num')::int / 10000 AS version`,
    )
    const version = Number(rows[0]?.version)
    if (version < OLDEST_VERSION)
      throw new StartError(
        `${describe(url)} has version ${version}: install PostgreSQL ${OLDEST_VERSION} or newer, or correct DATABASE_URL`,
      )
    return undefined
  } catch (error) {
    if (error instanceof StartError) throw error
    const message = messageOf(error)
    if (isDatabaseUnavailable(error) || isEveryAddressUnavailable(error)) return message
    throw new StartError(`${describe(url)} refuses the connection: ${message}. Correct DATABASE_URL`, { cause: error })
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * Checks the errors of all addresses, because the error for a host name with several addresses contains one error per
 * address.
 */
function isEveryAddressUnavailable(error: unknown): boolean {
  return error instanceof AggregateError && error.errors.every(isDatabaseUnavailable)
}

function messageOf(error: unknown): string {
  const one = error instanceof AggregateError ? error.errors[0] : error
  return one instanceof Error ? one.message : String(one)
}
