import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import { deleteOutdated } from './delete-outdated-statement.ts'

interface DeleteOldMessagesDeps {
  readonly database: Database
  readonly clock: Clock
}

/** Small, so that others do not wait for it and a standby keeps up. */
const BATCH = 500

/**
 * Deletes messages that were finished longer ago than their account keeps them, with all related rows, for all
 * accounts. Returns how many. Locked messages are left for the next run.
 */
export async function deleteOldMessages({ database, clock }: DeleteOldMessagesDeps): Promise<number> {
  const now = clock.now()
  let deleted = 0
  for (;;) {
    const count = await deleteOutdated(database, now, BATCH)
    deleted += count
    if (count < BATCH) return deleted
  }
}
