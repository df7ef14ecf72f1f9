import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import { findExpired } from './find-expired-statement.ts'
import { advanceMessages } from './progress/advance-messages.ts'
import type { Move } from './progress/message-progress.ts'

interface ExpireMessagesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly onMoved?: ((moves: readonly Move[]) => void) | undefined
}

/** Rows per transaction. A request to cancel one of these messages waits for the transaction to end. */
const BATCH = 500

/**
 * Fails the messages of all accounts that were not dispatched before their deadline, and notifies webhooks. Dispatched
 * messages expire on their device. Returns the number of failed recipients.
 */
export async function expireMessages({ database, clock, onMoved }: ExpireMessagesDeps): Promise<number> {
  let expired = 0
  for (;;) {
    const now = clock.now()
    const { found, changed, moves } = await database.$transaction(async (statements) => {
      const late = await findExpired(statements, now, BATCH)
      const updates = late.map((one) => ({ ...one, input: { kind: 'expired', at: now } as const }))
      const advanced = await advanceMessages(statements, updates, now)
      return { found: late.length, changed: advanced.changed.size, moves: advanced.moves }
    })
    onMoved?.(moves)
    expired += changed
    // Recipients that were dispatched or cancelled in between are found but not changed, and are not found again.
    if (found < BATCH) return expired
  }
}
