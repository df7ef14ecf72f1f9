import { ApiError } from '../http/api-error.ts'
import type { Statements } from '../store/database.ts'
import type { Webhook } from '../store/generated/client.ts'

/** 404 when the account has none of this id. */
export async function findWebhook(statements: Statements, accountId: string, id: string): Promise<Webhook> {
  const webhook = await statements.webhook.findUnique({ where: { accountId_id: { accountId, id } } })
  if (webhook === null) throw new ApiError(404, 'There is no such webhook: GET /webhooks lists them')
  return webhook
}

/** The same, and nobody deletes it before the transaction ends: rows that name it can be written. */
export async function holdWebhook(statements: Statements, accountId: string, id: string): Promise<Webhook> {
  await statements.$executeRaw`SELECT FROM webhooks WHERE account_id = ${accountId} AND id = ${id} FOR KEY SHARE`
  return await findWebhook(statements, accountId, id)
}

/** 409 when nothing is sent to it. */
export function refuseDisabled({ disabledReason, disabledAt }: Pick<Webhook, 'disabledReason' | 'disabledAt'>): void {
  if (disabledAt === null) return
  const reason = disabledReason ?? 'no reason is known'
  throw new ApiError(409, `The webhook is disabled (${reason}): register it again under its id to enable it`)
}
