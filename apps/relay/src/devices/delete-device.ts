import { idParams } from '@smsgw/contract/ids'
import type { Clock } from '../clock.ts'
import { ApiError } from '../http/api-error.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Logbook } from '../logs/logbook.ts'
import type { Move } from '../messages/message-progress.ts'
import type { Database } from '../store/database.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { failQueuedMessages } from './fail-queued-messages.ts'
import { noSuchDevice } from './no-such-device.ts'

export interface DeleteDeviceNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly logbook: Logbook
  /** After the commit: the relay that holds its socket closes it. */
  readonly hints: { disconnect(deviceId: string): void }
  readonly outbox: Outbox
  readonly onMoved?: ((moves: readonly Move[]) => void) | undefined
}

/**
 * The agent is cut off for good, and its queue fails with a reason. The row stays, for messages name it; the key goes, so
 * that the agent can be paired anew.
 */
export function deleteDevice({ database, clock, logbook, hints, outbox, onMoved }: DeleteDeviceNeeds): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 204: null },
    errors: [409],
    async handle({ principal: { accountId }, params: { id } }) {
      const now = clock.now()
      await markDeleted(database, accountId, id, now)
      hints.disconnect(id)
      const message = 'the device was deleted: its agent is cut off, and its queue fails'
      logbook.write({ accountId, deviceId: id, module: 'devices', priority: 'INFO', message })
      await failQueuedMessages(database, { accountId, deviceId: id }, now, onMoved)
      outbox.wake()
      return { status: 204 }
    },
  })
}

/** A higher epoch fences the connection of the agent: nothing that it claims or tells from here on is taken. */
async function markDeleted(database: Database, accountId: string, id: string, now: Date): Promise<void> {
  await database.$transaction(async (statements) => {
    const [device] = await statements.$queryRaw<{ builtIn: boolean }[]>`
      SELECT built_in AS "builtIn" FROM devices
      WHERE id = ${id} AND account_id = ${accountId} AND deleted_at IS NULL FOR UPDATE`
    if (device === undefined) throw noSuchDevice()
    if (device.builtIn) throw new ApiError(409, 'This device is the gateway itself, which cannot be deleted')
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
