import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@smsgw/daemon/log/log'
import { isDatabaseDiskFull, isDatabaseUnavailable } from './connection/database-unavailable.ts'
import { ReconnectingClient } from './connection/reconnecting-client.ts'
import { pauseMs } from './every-second.ts'

const FIRST_RUN_SECONDS = 60

export interface PeriodicJob {
  /** The name of the job, and of its lock. */
  readonly name: string
  readonly everySeconds: number
  /**
   * Returns false if there is no work. Asked before the lock is taken, so that a frequent job without work costs one
   * query. Without it, each run takes the lock.
   */
  readonly isNeeded?: () => Promise<boolean>
  /**
   * Does the pending work in small transactions. An aborted or concurrent run must be harmless. Long statements must
   * end when `stopping` aborts, because the relay waits for the run.
   */
  readonly run: (stopping?: AbortSignal) => Promise<unknown>
}

export interface PeriodicJobs {
  /** Waits for the runs in progress. */
  stop(): Promise<void>
}

/** Runs each job at its interval, on one relay at a time. */
export function runPeriodicJobs(
  { url, log }: { readonly url: string; readonly log: Log },
  jobs: readonly PeriodicJob[],
): PeriodicJobs {
  const locks = advisoryLocks(url)
  const stopping = new AbortController()
  /** True if the outage was logged, so that other jobs do not log it again. */
  let isOutage = false
  /**
   * The jobs that failed because the disk is full. Jobs that only read still succeed then, so only a success of one of
   * these jobs ends the outage.
   */
  const failedToWrite = new Set<string>()
  const loops = jobs.map(async ({ name, everySeconds, isNeeded, run }) => {
    // Starts the first run soon, so that a relay that is restarted every night does not skip its daily jobs.
    let seconds = Math.min(everySeconds, FIRST_RUN_SECONDS)
    while (await pause(pauseMs(seconds * 1000), stopping.signal)) {
      seconds = everySeconds
      try {
        if ((await isNeeded?.()) !== false) await locks.during(name, () => run(stopping.signal))
        if (!isOutage || (failedToWrite.size > 0 && !failedToWrite.has(name))) continue
        log.info('database available again, periodic jobs resumed')
        isOutage = false
        failedToWrite.clear()
      } catch (error) {
        if (stopping.signal.aborted) return
        if (!isDatabaseUnavailable(error)) {
          log.error({ job: name, err: error }, 'periodic job failed, retrying later')
          continue
        }
        if (!isOutage) log.warn({ job: name }, 'periodic jobs paused: database unavailable, retrying')
        isOutage = true
        if (isDatabaseDiskFull(error)) failedToWrite.add(name)
      }
    }
  })
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      await locks.close()
    },
  }
}

/** Returns false if the signal ended the pause. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal })
    return true
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}

/** The first key of all advisory locks of the relay, which distinguishes them from the locks of other programs. */
const LOCK_CLASS = 1_936_554_599

/**
 * The locks of this process. All of them are held by one separate connection, so that a relay that is killed or cut off
 * loses its locks together with this connection. A name must not be locked twice at the same time, because a session
 * never blocks itself.
 */
function advisoryLocks(url: string) {
  const client = new ReconnectingClient({ url, name: 'smsgw periodic work' })
  const ask = async (sql: string, name: string) =>
    (await client.query<{ answer: boolean }>(sql, [LOCK_CLASS, name]))[0]?.answer ?? false
  return {
    /**
     * Runs the work while holding the lock of that name. If another session holds the lock, returns at once without
     * running it.
     */
    async during(name: string, work: () => Promise<unknown>): Promise<void> {
      if (!(await ask('SELECT pg_try_advisory_lock($1, hashtext($2)) AS answer', name))) return
      try {
        await work()
      } finally {
        // If the connection was replaced, this session does not have the lock, and the query changes nothing.
        await ask('SELECT pg_advisory_unlock($1, hashtext($2)) AS answer', name)
      }
    },
    close: () => client.close(),
  }
}
