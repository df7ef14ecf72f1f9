import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import type { OwnSettings } from './merge-settings.ts'

/**
 * Locks and returns the settings of an account, or returns undefined when the account was removed. Concurrent changes
 * run one after the other. Messages are still accepted, because that needs a weaker lock.
 */
export async function lockSettings(statements: Statements, accountId: string): Promise<OwnSettings | undefined> {
  const [account] = await readRows(
    statements,
    accountRow,
    Prisma.sql`SELECT settings FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`,
  )
  return account?.settings
}

const accountRow = z.object({ settings: z.custom<OwnSettings>() })
