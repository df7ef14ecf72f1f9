import type { RelayFailureCode } from '@smsgw/contract/messages/failure-code'
import { advanceMessages } from '../../messages/progress/advance-messages.ts'
import type { Move } from '../../messages/progress/message-progress.ts'
import type { RecipientInput } from '../../messages/progress/message-state.ts'
import type { Database, Statements } from '../../store/database.ts'
import { findLostSends } from './find-lost-sends-statement.ts'
import { findSilentSends, type SilenceLimits } from './find-silent-sends-statement.ts'

/** Messages per transaction. */
const AT_ONCE = 500

/** Called after each commit with the messages that ended. */
type OnMoved = (moves: readonly Move[]) => void

/**
 * Ends messages whose journal the device has lost, and returns their number. The messages have been in doubt since the
 * device reported a new journal, and no evidence arrived within the window. Later evidence still corrects their states.
 */
export function endLostJournals(database: Database, windowMs: number, now: Date, onMoved?: OnMoved): Promise<number> {
  const since = new Date(now.getTime() - windowMs)
  const reason = 'the device lost its record of sent messages, and no report showed whether this message was sent'
  const input = { kind: 'failed', at: now, code: 'submit_unknown' satisfies RelayFailureCode, reason } as const
  return endMessages(database, input, (statements) => findLostSends(statements, since, AT_ONCE), onMoved)
}

/**
 * Fails the messages of devices that were silent for longer than the limit. Returns the number of messages.
 *
 * For each failed message, a cancel is recorded. When a device has reconnected, it handles these cancels before it
 * sends anything. Later reports of the device correct the state. The devices are locked. If a device reconnects at the
 * same time, either this function sees the connection, or the device finds the cancels.
 */
export function loseSilentDevices(
  database: Database,
  limits: SilenceLimits,
  now: Date,
  onMoved?: OnMoved,
): Promise<number> {
  const input = { kind: 'device-lost', at: now } as const
  return endMessages(database, input, (statements) => findSilentSends(statements, limits, now, AT_ONCE), onMoved)
}

async function endMessages(
  database: Database,
  input: RecipientInput,
  find: (statements: Statements) => Promise<{ readonly cmdId: string; readonly accountId: string }[]>,
  onMoved: OnMoved | undefined,
): Promise<number> {
  const endSome = async (statements: Statements) => {
    const lost = await find(statements)
    const updates = lost.map((one) => ({ ...one, input }))
    const { moves } = await advanceMessages(statements, updates, input.at)
    return { count: lost.length, moves }
  }
  for (let ended = 0; ; ) {
    const { count, moves } = await database.$transaction(endSome)
    onMoved?.(moves)
    ended += count
    if (count < AT_ONCE) return ended
  }
}
