import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import type { OwnSettings } from './merge-settings.ts'

/**
 * Locks the settings of an account, so that concurrent changes run one after the other. Accepting messages needs a weaker
 * lock. Undefined when the account was removed.
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
