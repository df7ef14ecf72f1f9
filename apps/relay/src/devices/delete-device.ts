import { idParams } from '@smsgw/contract/ids'
import type { Clock } from '../clock.ts'
import { ApiError } from '../http/api-error.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Logbook } from '../logs/logbook.ts'
import type { Move } from '../messages/progress/message-progress.ts'
import type { Database } from '../store/database.ts'
import type { Outbox } from '../webhooks/outbox/enqueue-events.ts'
import { failQueuedMessages } from './fail-queued-messages.ts'
import { lockDeviceToDelete } from './lock-device-to-delete-statement.ts'
import { noSuchDevice } from './no-such-device.ts'

export interface DeleteDeviceDeps {
  readonly database: Database
  readonly clock: Clock
  readonly logbook: Logbook
  /** Called after the commit: the relay with the device's connection closes it. */
  readonly hints: { disconnect(deviceId: string): void }
  readonly outbox: Outbox
  readonly onMoved?: ((moves: readonly Move[]) => void) | undefined
}

/**
 * Removes a device: disconnects its agent and fails its queued messages with a reason. The row stays because messages refer
 * to it; the key is deleted, so that the agent can be paired again.
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

/** Raises the connection epoch, which fences the agent: nothing that it claims or reports from now on is stored. */
async function markDeleted(database: Database, accountId: string, id: string, now: Date): Promise<void> {
  await database.$transaction(async (statements) => {
    const device = await lockDeviceToDelete(statements, accountId, id)
    if (device === undefined) throw noSuchDevice()
    if (device.builtIn) throw new ApiError(409, 'This device is the gateway itself and cannot be deleted')
    await statements.device.update({
      where: { id, accountId },
      data: {
        deletedAt: now,
        updatedAt: now,
        publicKey: null,
        relayId: null,
        leaseUntil: null,
        connEpoch: { increment: 1 },
      },
    })
    await statements.deviceCommand.deleteMany({ where: { deviceId: id, accountId } })
  })
}
