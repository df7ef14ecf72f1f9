import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'

/**
 * Locks the account, so that the later of two concurrent registrations counts the webhook of the earlier registration.
 */
export async function lockRegistrations(statements: Statements, accountId: string): Promise<void> {
  await statements.$executeRaw`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`
}

/**
 * Returns the URL of a webhook, or undefined if the webhook does not exist. Locks the webhook, so that no event is
 * redelivered to it before the transaction ends. Waits for transactions that store events for this URL.
 */
export async function lockUrl(statements: Statements, accountId: string, id: string): Promise<string | undefined> {
  const [webhook] = await readRows(
    statements,
    urlRow,
    Prisma.sql`SELECT url FROM webhooks WHERE account_id = ${accountId} AND id = ${id} FOR UPDATE`,
  )
  return webhook?.url
}

/** Locks a webhook against deletion until the transaction ends, so that rows can refer to it. */
export async function preventDeletion(statements: Statements, accountId: string, id: string): Promise<void> {
  await statements.$executeRaw`SELECT FROM webhooks WHERE account_id = ${accountId} AND id = ${id} FOR KEY SHARE`
}

const urlRow = z.object({ url: z.string() })
