import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@smsgw/daemon/log'
import { advisoryLocks } from './advisory-locks.ts'
import { isDatabaseAway } from './database-away.ts'

const FIRST_AFTER_SECONDS = 60

export interface PeriodicWork {
  /** Names the lock too. */
  readonly name: string
  readonly everySeconds: number
  /** Does what there is to do in small transactions. May be cut short, or meet a second run, without harm. */
  readonly run: () => Promise<unknown>
}

export interface Periodic {
  /** Waits for what runs. */
  stop(): Promise<void>
}

/** Runs each work again and again, on one replica at a time. */
export function startPeriodicWork(
  { url, log }: { readonly url: string; readonly log: Log },
  works: readonly PeriodicWork[],
): Periodic {
  const locks = advisoryLocks(url)
  const stopping = new AbortController()
  /** Told once for all of it, and not every second. */
  let isAway = false
  const loops = works.map(async ({ name, everySeconds, run }) => {
    // Soon at first: a relay that is restarted each night must not miss what is done once a day.
    let seconds = Math.min(everySeconds, FIRST_AFTER_SECONDS)
    while (await pause(seconds * 1000, stopping.signal)) {
      seconds = everySeconds
      try {
        await locks.during(name, run)
        if (isAway) log.info('periodic work goes on')
        isAway = false
      } catch (error) {
        if (!isDatabaseAway(error))
          log.error({ work: name, err: error }, 'periodic work failed, and will be tried again')
        else if (!isAway) log.warn({ work: name }, 'periodic work waits: the database is away')
        isAway ||= isDatabaseAway(error)
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

/** False when it was cut short. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal })
    return true
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}
