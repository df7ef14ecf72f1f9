import { advanceMessages } from '../../messages/progress/advance-messages.ts'
import type { Move } from '../../messages/progress/message-progress.ts'
import type { Database, Statements } from '../../store/database.ts'
import { findSilentSends, type SilenceLimits } from './find-silent-sends-statement.ts'

/**
 * Fails the messages of devices that were silent for longer than the limit. Returns the number of messages.
 *
 * Each failure records a cancel, which a returning device obeys before it sends anything. Later reports of the device correct
 * the state. The devices are locked, so that a device that returns now is either seen here or finds the cancels.
 */
export async function loseSilentDevices(
  database: Database,
  limits: SilenceLimits,
  now: Date,
  onMoved?: (moves: readonly Move[]) => void,
): Promise<number> {
  let ended = 0
  for (;;) {
    const { count, moves } = await database.$transaction((statements) => loseSome(statements, limits, now), {
      timeout: 20_000,
    })
    onMoved?.(moves)
    ended += count
    if (count < AT_ONCE) return ended
  }
}

const AT_ONCE = 500

async function loseSome(statements: Statements, limits: SilenceLimits, now: Date) {
  const lost = await findSilentSends(statements, limits, now, AT_ONCE)
  const input = { kind: 'device-lost', at: now } as const
  const updates = lost.map((one) => ({ ...one, input }))
  const { moves } = await advanceMessages(statements, updates, now)
  return { count: lost.length, moves }
}
