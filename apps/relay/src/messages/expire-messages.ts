import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import { advanceMessages } from './advance-messages.ts'
import type { Move } from './message-progress.ts'

interface ExpireMessagesNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly onMoved?: ((moves: readonly Move[]) => void) | undefined
}

/** Of one transaction: it holds the messages that it ends, and a cancel of one of them waits. */
const BATCH = 500

/**
 * Ends what no device took in time, of all accounts, and tells webhooks. What a device was given expires there. Gives how
 * many recipients it ended.
 */
export async function expireMessages({ database, clock, onMoved }: ExpireMessagesNeeds): Promise<number> {
  let expired = 0
  for (;;) {
    const now = clock.now()
    const { found, changed, moves } = await database.$transaction(async (statements) => {
      const late = await statements.$queryRaw<{ accountId: string; cmdId: string }[]>`
        SELECT account_id AS "accountId", cmd_id AS "cmdId" FROM recipients
        WHERE dispatched_journal IS NULL AND state = 'Pending' AND valid_until <= ${now}
        ORDER BY valid_until LIMIT ${BATCH}`
      const news = late.map((one) => ({ ...one, input: { kind: 'expired', at: now } as const }))
      const advanced = await advanceMessages(statements, news, now)
      return { found: late.length, changed: advanced.changed.size, moves: advanced.moves }
    })
    onMoved?.(moves)
    expired += changed
    // Fewer changed than found: what a device or a cancel took meanwhile, which is not found again.
    if (found < BATCH) return expired
  }
}
