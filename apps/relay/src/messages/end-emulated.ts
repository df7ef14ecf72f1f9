import type { RelayFailureCode } from '@smsgw/contract/failure-code'
import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import { findEmulatedSends } from './find-emulated-sends-statement.ts'
import { advanceMessages } from './progress/advance-messages.ts'
import type { Move } from './progress/message-progress.ts'

interface EndEmulatedDeps {
  readonly database: Database
  readonly clock: Clock
  readonly onMoved?: ((moves: readonly Move[]) => void) | undefined
}

/** Rows per transaction. A cancel of one of these messages waits for its end. */
const BATCH = 500

/**
 * Fails messages that wait for an emulated modem of an account that has a real one by now. They are not given to the real
 * modem, because they may be tests. Dispatched messages end on their device. Returns how many recipients it ended.
 */
export async function endEmulated({ database, clock, onMoved }: EndEmulatedDeps): Promise<number> {
  let ended = 0
  for (;;) {
    const now = clock.now()
    const input = { kind: 'failed', at: now, code: 'emulated_modem' satisfies RelayFailureCode, reason } as const
    const { found, changed, moves } = await database.$transaction(async (statements) => {
      const waiting = await findEmulatedSends(statements, BATCH)
      const updates = waiting.map((one) => ({ ...one, input }))
      const advanced = await advanceMessages(statements, updates, now)
      return { found: waiting.length, changed: advanced.changed.size, moves: advanced.moves }
    })
    onMoved?.(moves)
    ended += changed
    // Fewer changed than found: the others were cancelled in between and are not found again.
    if (found < BATCH) return ended
  }
}

const reason = 'it waited for an emulated modem, and the account has a real modem now'
