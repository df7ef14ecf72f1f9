import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '@smsgw/daemon/start-error'
import { isDatabaseAway } from './database-away.ts'
import type { Patience } from './reach-database.ts'

const PAUSE_MS = 500

/** A start, from the beginning whenever the database goes away in the middle of it, for as long as one waits for it at all. */
export async function outlastAbsence<T>(start: () => Promise<T>, { waitMs, report }: Patience): Promise<T> {
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      if (performance.now() + PAUSE_MS > giveUpAt)
        throw new StartError(
          `the database goes away whenever the relay starts, tried for ${Math.round(waitMs / 1000)} s: see what ends it`,
          { cause: error },
        )
      report('the database went away while the relay started: it starts again')
      await sleep(PAUSE_MS)
    }
  }
}
