import type { CoreDeps } from '../core-deps.ts'
import type { Statements } from '../store/database.ts'
import { outboundEventIds, outboundEvents } from '../webhooks/outbox/event-id.ts'
import { clearFinishedDeliveries, markDeliveries } from './clear-deliveries-statement.ts'
import { type HashedRecipient, hashBatch } from './hash-batch-statement.ts'

interface HashMessagesDeps extends Pick<CoreDeps, 'database' | 'clock'> {
  readonly hashAfterSeconds: number
}

const BATCH = 500
const LIMITS = { timeout: 30_000 }

/**
 * Replaces content and numbers of finished messages with hashes, for all accounts. Removes the numbers from the
 * payloads of their webhook deliveries as soon as the deliveries are finished. Returns the number of messages. Locked
 * messages are left for the next run.
 */
export async function hashMessages({ database, clock, hashAfterSeconds }: HashMessagesDeps): Promise<number> {
  const finishedBefore = new Date(clock.now().getTime() - hashAfterSeconds * 1000)
  let hashed = 0
  for (;;) {
    const count = await database.$transaction(async (statements) => {
      const recipients = await hashBatch(statements, finishedBefore, BATCH)
      const deliveries = await deliveriesOf(statements, recipients)
      if (deliveries.length > 0) await markDeliveries(statements, deliveries)
      return new Set(recipients.map(({ messageKey }) => messageKey)).size
    }, LIMITS)
    hashed += count
    if (count === 0) break
  }
  await clearFinishedDeliveries(database)
  return hashed
}

/** Returns every delivery that a webhook of the account may have for one of the recipients. */
async function deliveriesOf(statements: Statements, recipients: readonly HashedRecipient[]) {
  const accounts = new Set(recipients.map(({ accountId }) => accountId).filter((id) => id !== null))
  const webhooks = await statements.webhook.findMany({
    where: { accountId: { in: [...accounts] }, events: { hasSome: [...outboundEvents] } },
    select: { key: true, id: true, events: true, accountId: true },
  })
  return webhooks.flatMap((webhook) =>
    recipients
      .filter(({ accountId }) => accountId === webhook.accountId)
      .flatMap(({ cmdId, errorCode }) =>
        cmdId === null ? [] : outboundEventIds(webhook.accountId, webhook, { cmdId, errorCode }),
      )
      .map((id) => ({ webhookKey: webhook.key, id })),
  )
}
