import type { Waiting } from '@smsgw/contract/messages/waiting'
import type { Database } from '../store/database.ts'
import type { Message, Part, Recipient, WebhookAttempt } from '../store/generated/client.ts'
import { heldUntil, waitingRecipients } from '../waiting/waiting-recipients.ts'
import { outboundEventIds, outboundEvents } from '../webhooks/outbox/event-id.ts'

export type RecipientFacts = Recipient & { readonly parts: readonly Part[] }

export interface AttemptFacts {
  readonly webhookId: string
  readonly url: string
  readonly deliveryId: string
  readonly event: string
  readonly recipient: string
  readonly attempt: WebhookAttempt
}

/** All stored data about one message. */
export interface TimelineFacts {
  readonly message: Message
  readonly deviceName: string | undefined
  readonly recipients: readonly RecipientFacts[]
  readonly attempts: readonly AttemptFacts[]
  /** The waiting reasons by command id. */
  readonly waiting: ReadonlyMap<string, Waiting>
}

export async function readTimeline(
  database: Database,
  accountId: string,
  id: string,
): Promise<TimelineFacts | undefined> {
  const found = await database.message.findUnique({
    where: { accountId_id: { accountId, id } },
    include: { recipients: { orderBy: { position: 'asc' }, include: { parts: { orderBy: { index: 'asc' } } } } },
  })
  if (!found) return undefined
  const { recipients, ...message } = found
  const device = await database.device.findFirst({ where: { accountId, id: message.deviceId }, select: { name: true } })
  const attempts = await readAttempts(database, accountId, recipients)
  const { simNumber, scheduleAt, createdAt } = message
  const waiting = await waitingRecipients(
    database,
    accountId,
    recipients.map(({ dispatchedJournal, ...recipient }) => ({
      ...recipient,
      ...{ simNumber, scheduleAt, createdAt, heldUntil: heldUntil(message), isDispatched: dispatchedJournal !== null },
    })),
  )
  return { message, deviceName: device?.name, recipients, attempts, waiting }
}

/**
 * Reads the webhook attempts. Derives their event ids from recipients and webhooks, so that no index on payloads is
 * needed.
 */
async function readAttempts(
  database: Database,
  accountId: string,
  recipients: readonly RecipientFacts[],
): Promise<AttemptFacts[]> {
  const webhooks = await database.webhook.findMany({
    where: { accountId, events: { hasSome: [...outboundEvents] } },
    select: { key: true, id: true, events: true, url: true },
  })
  const eventsByKey = new Map(
    webhooks.flatMap((webhook) =>
      recipients.flatMap((recipient) =>
        outboundEventIds(accountId, webhook, recipient).map(
          (id) => [`${webhook.key} ${id}`, { webhook, recipient, id }] as const,
        ),
      ),
    ),
  )
  const deliveries = await database.webhookDelivery.findMany({
    where: {
      accountId,
      webhookKey: { in: webhooks.map(({ key }) => key) },
      id: { in: [...eventsByKey.values()].map(({ id }) => id) },
    },
    include: { attemptRows: { orderBy: { number: 'asc' } } },
  })
  return deliveries.flatMap(({ webhookKey, id, event, attemptRows }) => {
    const known = eventsByKey.get(`${webhookKey} ${id}`)
    if (!known) return []
    const { webhook, recipient } = known
    const facts = { webhookId: webhook.id, url: webhook.url, deliveryId: id, event, recipient: recipient.phoneNumber }
    return attemptRows.map((attempt) => ({ ...facts, attempt }))
  })
}
