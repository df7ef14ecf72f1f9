import { idParams } from '@smsgw/contract/fields/ids'
import type { RelayFailureCode } from '@smsgw/contract/messages/failure-code'
import type { CoreDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { advanceMessages } from '../messages/progress/advance-messages.ts'
import type { Move } from '../messages/progress/message-progress.ts'
import type { RecipientInput } from '../messages/progress/message-state.ts'
import type { Database } from '../store/database.ts'
import type { Outbox } from '../webhooks/outbox/enqueue-events.ts'
import { noSuchDevice } from './get-devices.ts'
import { lockDeviceToDelete } from './lock-device-to-delete-statement.ts'

export interface DeleteDeviceDeps extends Pick<CoreDeps, 'database' | 'clock' | 'logbook'> {
  /** Called after the commit. The relay to which the device is connected then closes the connection. */
  readonly hints: { disconnect(deviceId: string): void }
  readonly outbox: Outbox
  readonly onMoved?: ((moves: readonly Move[]) => void) | undefined
}

/**
 * Removes a device, disconnects its agent, and fails its queued messages with a reason. The row is kept because
 * messages refer to it. The key is deleted, so that the agent can be paired again.
 */
export function deleteDevice({ database, clock, logbook, hints, outbox, onMoved }: DeleteDeviceDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 204: null },
    errors: [409],
    async handle({ principal: { accountId }, params: { id } }) {
      const now = clock.now()
      await markDeleted(database, accountId, id, now)
      hints.disconnect(id)
      const message = 'device deleted: agent disconnected, queued messages failed'
      logbook.write({ accountId, deviceId: id, module: 'devices', priority: 'INFO', message })
      await failQueuedMessages(database, { accountId, deviceId: id }, now, onMoved)
      outbox.wake()
      return { status: 204 }
    },
  })
}

/**
 * Marks the device as deleted and raises its connection epoch, so that later claims and reports of its agent are
 * refused.
 */
async function markDeleted(database: Database, accountId: string, id: string, now: Date): Promise<void> {
  await database.$transaction(async (statements) => {
    const device = await lockDeviceToDelete(statements, accountId, id)
    if (device === undefined) throw noSuchDevice()
    if (device.builtIn)
      throw new ApiError(409, 'This device is the gateway itself and cannot be deleted', { reason: 'device_built_in' })
    await statements.device.update({
      where: { id, accountId },
      data: {
        deletedAt: now,
        updatedAt: now,
        publicKey: null,
        phoneTokenHash: null,
        relayId: null,
        leaseUntil: null,
        connEpoch: { increment: 1 },
      },
    })
    await statements.deviceCommand.deleteMany({ where: { deviceId: id, accountId } })
    await statements.phonePush.deleteMany({ where: { deviceId: id } })
  })
}

/**
 * The number of recipients per transaction. It is limited, because a queue may be long, and concurrent changes of its
 * rows have to wait for the transaction.
 */
const AT_ONCE = 200

/**
 * Ends the queued messages of a deleted device. Messages that were never dispatched fail. The other messages count as
 * lost, because the device will not report their results. If the process is interrupted, the remaining messages end
 * when the device has been silent for too long.
 */
async function failQueuedMessages(
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
    reason: 'the device was deleted before it received the message',
  }
}
