import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@smsgw/daemon/log'
import { advisoryLocks } from './advisory-locks.ts'
import { isDatabaseUnavailable } from './database-unavailable.ts'

const FIRST_RUN_SECONDS = 60

export interface PeriodicJob {
  /** Also the name of its lock. */
  readonly name: string
  readonly everySeconds: number
  /** Does the pending work in small transactions. An aborted or a concurrent run must do no harm. */
  readonly run: () => Promise<unknown>
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
  /** An outage is logged once, not by each job every second. */
  let isOutage = false
  const loops = jobs.map(async ({ name, everySeconds, run }) => {
    // The first run is soon: a relay that is restarted every night must not skip its daily jobs.
    let seconds = Math.min(everySeconds, FIRST_RUN_SECONDS)
    while (await pause(seconds * 1000, stopping.signal)) {
      seconds = everySeconds
      try {
        await locks.during(name, run)
        if (isOutage) log.info('database available again, periodic jobs resumed')
        isOutage = false
      } catch (error) {
        if (!isDatabaseUnavailable(error)) log.error({ job: name, err: error }, 'periodic job failed, retrying later')
        else if (!isOutage) log.warn({ job: name }, 'periodic jobs paused: database unavailable, retrying')
        isOutage ||= isDatabaseUnavailable(error)
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

/** Returns false when the signal ends the pause. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal })
    return true
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}
