import type { Statements } from '../store/database.ts'
import { enqueueAgain, enqueueEvents } from '../webhooks/outbox/enqueue-events.ts'
import { insertReceived, type Received } from './insert-received-statement.ts'
import { receivedEventOf } from './stored-item.ts'

/**
 * Stores a received message and its webhook deliveries in the caller's transaction. Storing it again is harmless,
 * because its id is derived from the message. A long message may be completed later, when its last parts arrive;
 * webhooks then receive the whole text under the same event id. Webhooks receive nothing from blocked numbers.
 */
export async function storeReceived(
  statements: Statements,
  device: { readonly id: string; readonly accountId: string },
  received: Received,
  now: Date,
): Promise<void> {
  const stored = await insertReceived(statements, device, received, now)
  const event = stored && receivedEventOf(stored)
  if (event === undefined || stored?.isBlocked) return
  if (stored?.isNew) await enqueueEvents(statements, device.accountId, [event])
  else await enqueueAgain(statements, device.accountId, [event])
}
