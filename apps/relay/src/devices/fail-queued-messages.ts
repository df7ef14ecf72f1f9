import type { RelayFailureCode } from '@smsgw/contract/failure-code'
import { advanceMessages } from '../messages/progress/advance-messages.ts'
import type { Move } from '../messages/progress/message-progress.ts'
import type { RecipientInput } from '../messages/progress/message-state.ts'
import type { Database } from '../store/database.ts'

/** Recipients per transaction: a queue may be long, and concurrent changes of the same rows wait. */
const AT_ONCE = 200

/**
 * Ends the queued messages of a deleted device. Those that were never dispatched fail; the device will not report the
 * result of the others. After an interruption the device silence limit ends the rest.
 */
export async function failQueuedMessages(
  database: Database,
  { accountId, deviceId }: { readonly accountId: string; readonly deviceId: string },
  now: Date,
  onMoved?: (moves: readonly Move[]) => void,
): Promise<void> {
  let last = ''
  for (;;) {
    const queued = await database.recipient.findMany({
      where: {
        accountId,
        deviceId,
        state: { in: ['Pending', 'Cancelling', 'Processed'] },
        cmdId: { gt: last },
      },
      orderBy: { cmdId: 'asc' },
      take: AT_ONCE,
      select: { cmdId: true, dispatchedJournal: true },
    })
    const end = queued.at(-1)
    if (end === undefined) return
    const news = queued.map(({ cmdId, dispatchedJournal }) => ({
      accountId,
      cmdId,
      input: dispatchedJournal === null ? neverGiven(now) : ({ kind: 'device-lost', at: now } as const),
    }))
    const { moves } = await database.$transaction((statements) => advanceMessages(statements, news, now))
    onMoved?.(moves)
    last = end.cmdId
  }
}

function neverGiven(at: Date): RecipientInput {
  return {
    kind: 'failed',
    at,
    code: 'device_deleted' satisfies RelayFailureCode,
    reason: 'its device was deleted before it was given the message',
  }
}
