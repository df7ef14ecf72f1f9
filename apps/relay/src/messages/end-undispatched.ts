// Jobs of the relay that fail waiting messages and notify webhooks.
import type { CoreDeps } from '../core-deps.ts'
import type { Statements } from '../store/database.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { expireApprovals } from './approval/expire-approvals-statement.ts'
import { findEmulatedSends } from './find-emulated-sends-statement.ts'
import { findExpired } from './find-expired-statement.ts'
import { advanceMessages } from './progress/advance-messages.ts'
import type { Move, RecipientUpdate } from './progress/message-progress.ts'
import type { RecipientInput } from './progress/message-state.ts'

interface EndDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  readonly onMoved?: ((moves: readonly Move[]) => void) | undefined
}

/** Fails messages that were not dispatched before their deadline. Returns the number of failed recipients. */
export function expireMessages(deps: EndDeps): Promise<number> {
  return failInBatches(deps, findExpired, (at) => ({ kind: 'expired', at }))
}

/** Returns true if `expireMessages` would find a message. */
export async function hasExpired({
  statements,
  clock,
}: Pick<EndDeps, 'clock'> & { readonly statements: RawStatements }): Promise<boolean> {
  return (await findExpired(statements, clock.now(), 1)).length > 0
}

/** Fails messages that nobody approved in time. Returns the number of failed recipients. */
export function endUnapproved(deps: EndDeps): Promise<number> {
  return failInBatches(deps, expireApprovals, (at) => ({ kind: 'unapproved', at }))
}

/**
 * Fails messages that wait for a virtual modem, if their account now has a real modem. These messages are not sent
 * through the real modem, because they may be tests. The device gets a cancel for each message that was dispatched.
 * Returns the number of failed recipients.
 */
export function endEmulated(deps: EndDeps): Promise<number> {
  return failInBatches(
    deps,
    (statements, _, limit) => findEmulatedSends(statements, limit),
    (at) => ({ kind: 'emulated', at }),
  )
}

/** Returns true if `endEmulated` would find a message. */
export async function hasEmulated(statements: RawStatements): Promise<boolean> {
  return (await findEmulatedSends(statements, 1)).length > 0
}

/** The number of rows per transaction. A request to cancel one of these messages waits for the transaction to end. */
const BATCH = 500

async function failInBatches(
  { database, clock, onMoved }: EndDeps,
  find: (statements: Statements, now: Date, limit: number) => Promise<Pick<RecipientUpdate, 'accountId' | 'cmdId'>[]>,
  inputAt: (now: Date) => RecipientInput,
): Promise<number> {
  let failed = 0
  for (;;) {
    const now = clock.now()
    const { found, changed, moves } = await database.$transaction(async (statements) => {
      const found = await find(statements, now, BATCH)
      const updates = found.map((one) => ({ ...one, input: inputAt(now) }))
      return { found: found.length, ...(await advanceMessages(statements, updates, now)) }
    })
    onMoved?.(moves)
    failed += changed.size
    // Recipients that were dispatched or cancelled after they were found are not changed here, and they are not found
    // again.
    if (found < BATCH) return failed
  }
}
