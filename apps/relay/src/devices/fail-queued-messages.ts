import { advanceMessages } from '../messages/advance-messages.ts'
import type { Move } from '../messages/message-progress.ts'
import type { RecipientInput } from '../messages/message-state.ts'
import type { Database } from '../store/database.ts'

/** Recipients that change in one transaction: a queue may hold very many, and whoever changes the same ones waits. */
const AT_ONCE = 200

/**
 * Ends what a deleted device still had to do. What it was never given has failed for certain; of the rest it will tell
 * nothing any more. Interrupted, the rest is ended by the limit on a device's silence.
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
    code: 'device_deleted',
    reason: 'its device was deleted before it was given the message',
  }
}
