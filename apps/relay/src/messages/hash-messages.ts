import type { Clock } from '../clock.ts'
import type { Database, Statements } from '../store/database.ts'
import { outboundEventIds, outboundEvents } from '../webhooks/outbox/event-id.ts'

interface HashMessagesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly hashAfterSeconds: number
}

const BATCH = 500
const LIMITS = { timeout: 30_000 }

/**
 * Replaces content and numbers of finished messages by hashes, for all accounts. Removes the numbers from the payloads of
 * their webhook deliveries as soon as these are finished, and the excerpts of receivers' answers, which may repeat them. Hashes are computed in the database.
 * Returns the number of messages.
 *
 * Locks messages before their recipients, as everywhere, and skips locked ones until the next run.
 */
export async function hashMessages({ database, clock, hashAfterSeconds }: HashMessagesDeps): Promise<number> {
  const finishedBefore = new Date(clock.now().getTime() - hashAfterSeconds * 1000)
  let hashed = 0
  for (;;) {
    const count = await database.$transaction(async (statements) => {
      const recipients = await hashBatch(statements, finishedBefore)
      await markDeliveries(statements, recipients)
      return new Set(recipients.map(({ messageKey }) => messageKey)).size
    }, LIMITS)
    hashed += count
    if (count < BATCH) break
  }
  await clearFinishedDeliveries(database)
  return hashed
}

interface HashedRecipient {
  readonly messageKey: bigint
  /** Null, with the others, when the message has no recipients. */
  readonly accountId: string | null
  readonly cmdId: string | null
  readonly errorCode: string | null
}

async function hashBatch(statements: Statements, finishedBefore: Date): Promise<HashedRecipient[]> {
  return await statements.$queryRaw<HashedRecipient[]>`
    WITH due AS MATERIALIZED (
      SELECT key FROM messages
      WHERE finished_at IS NOT NULL AND content_hash IS NULL AND finished_at <= ${finishedBefore}
      ORDER BY finished_at LIMIT ${BATCH}
      FOR NO KEY UPDATE SKIP LOCKED
    ), content AS (
      UPDATE messages SET content_hash = encode(sha256(coalesce(data, convert_to(text, 'UTF8'))), 'hex'),
        text = NULL, data = NULL
      FROM due WHERE messages.key = due.key
    ), numbers AS (
      UPDATE recipients SET phone_number = left(encode(sha256(convert_to(phone_number, 'UTF8')), 'hex'), 16)
      FROM due WHERE message_key = due.key
      RETURNING message_key, account_id, cmd_id, error_code
    )
    SELECT due.key AS "messageKey", account_id AS "accountId", cmd_id AS "cmdId", error_code AS "errorCode"
    FROM due LEFT JOIN numbers ON message_key = due.key`
}

async function markDeliveries(statements: Statements, recipients: readonly HashedRecipient[]): Promise<void> {
  const accounts = new Set(recipients.map(({ accountId }) => accountId).filter((id) => id !== null))
  const webhooks = await statements.webhook.findMany({
    where: {
      accountId: { in: [...accounts] },
      event: { in: [...outboundEvents] },
    },
    select: { key: true, id: true, event: true, accountId: true },
  })
  const deliveries = webhooks.flatMap((webhook) =>
    recipients
      .filter(({ accountId }) => accountId === webhook.accountId)
      .flatMap(({ cmdId, errorCode }) =>
        cmdId === null ? [] : outboundEventIds(webhook.accountId, webhook, { cmdId, errorCode }),
      )
      .map((id) => ({ key: webhook.key, id })),
  )
  if (deliveries.length === 0) return
  await statements.$executeRaw`
    INSERT INTO webhook_deliveries_to_clear (delivery_key)
    SELECT d.key FROM webhook_deliveries d
    JOIN unnest(${deliveries.map(({ key }) => key)}::bigint[], ${deliveries.map(({ id }) => id)}::text[])
      AS marked (key, id) ON d.webhook_key = marked.key AND d.id = marked.id
    ON CONFLICT DO NOTHING`
}

/**
 * Removes the numbers from marked deliveries that are finished. A waiting delivery keeps its number, which the receiver
 * has not got yet. Locked rows are skipped until the next run.
 */
async function clearFinishedDeliveries(database: Database): Promise<void> {
  await database.$executeRaw`
    WITH finished AS MATERIALIZED (
      SELECT d.key FROM webhook_deliveries_to_clear c JOIN webhook_deliveries d ON d.key = c.delivery_key
      WHERE d.state <> 'waiting'
      FOR NO KEY UPDATE OF d SKIP LOCKED
    ), cleared AS (
      UPDATE webhook_deliveries d SET payload = d.payload || '{"recipient": "", "phoneNumber": ""}'
      FROM finished WHERE d.key = finished.key
    ), excerpts AS (
      UPDATE webhook_attempts a SET excerpt = NULL FROM finished
      WHERE a.delivery_key = finished.key AND a.excerpt IS NOT NULL
    )
    DELETE FROM webhook_deliveries_to_clear c USING finished WHERE c.delivery_key = finished.key`
}
