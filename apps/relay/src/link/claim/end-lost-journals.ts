import type { RelayFailureCode } from '@smsgw/contract/failure-code'
import { advanceMessages } from '../../messages/progress/advance-messages.ts'
import type { Database, Statements } from '../../store/database.ts'

/**
 * Ends messages whose journal the device has lost. They have been in doubt since the device reported a new journal, and
 * no evidence arrived within the window. Later evidence still corrects them. Covers all accounts. Returns how many it
 * ended.
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
  const lost = await statements.$queryRaw<{ cmdId: string; accountId: string }[]>`
    SELECT r.cmd_id AS "cmdId", r.account_id AS "accountId"
    FROM devices d
    JOIN device_journals j ON j.device_id = d.id AND j.journal_id = d.journal_id
    JOIN recipients r ON r.device_id = d.id AND r.account_id = d.account_id
    WHERE j.created_at <= ${since}
      AND EXISTS (SELECT FROM device_journals o WHERE o.device_id = d.id AND o.journal_id <> d.journal_id)
      AND r.state IN ('Pending', 'Cancelling', 'Processed') AND r.dispatched_journal <> d.journal_id
    ORDER BY r.message_key, r.position LIMIT ${AT_ONCE}`
  const reason = 'the device lost the record of what it sent, and no evidence arrived'
  const input = { kind: 'failed', at: now, code: 'submit_unknown' satisfies RelayFailureCode, reason } as const
  await advanceMessages(
    statements,
    lost.map((one) => ({ ...one, input })),
    now,
  )
  return lost.length
}
