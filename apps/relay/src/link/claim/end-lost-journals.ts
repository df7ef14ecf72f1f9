import type { RelayFailureCode } from '@smsgw/contract/failure-code'
import { advanceMessages } from '../../messages/progress/advance-messages.ts'
import type { Database, Statements } from '../../store/database.ts'
import { findLostSends } from './find-lost-sends-statement.ts'

/**
 * Ends messages whose journal the device has lost, and returns their number. The messages have been in doubt since the device
 * reported a new journal, and no evidence arrived within the window. Later evidence still corrects their states.
 */
export async function endLostJournals(database: Database, windowMs: number, now: Date): Promise<number> {
  let ended = 0
  for (;;) {
    const count = await database.$transaction((statements) => endSome(statements, windowMs, now), { timeout: 20_000 })
    ended += count
    if (count < AT_ONCE) return ended
  }
}

const AT_ONCE = 500

async function endSome(statements: Statements, windowMs: number, now: Date): Promise<number> {
  const since = new Date(now.getTime() - windowMs)
  const lost = await findLostSends(statements, since, AT_ONCE)
  const reason = 'the device lost the record of what it sent, and no evidence arrived'
  const input = { kind: 'failed', at: now, code: 'submit_unknown' satisfies RelayFailureCode, reason } as const
  await advanceMessages(
    statements,
    lost.map((one) => ({ ...one, input })),
    now,
  )
  return lost.length
}
