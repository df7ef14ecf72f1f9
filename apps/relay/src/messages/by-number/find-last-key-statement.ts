import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import { lastToNumber } from './recipients-of-number.ts'

interface Condition {
  readonly createdBefore?: Date
  /** Ignores replies of webhooks. */
  readonly isNoReply?: true
}

/** Finds the key of the last message to a number. Takes no locks. */
export async function findLastKey(
  statements: Statements,
  accountId: string,
  number: string,
  { createdBefore, isNoReply }: Condition = {},
): Promise<bigint | undefined> {
  const conditions = [
    Prisma.sql`true`,
    ...(createdBefore === undefined ? [] : [Prisma.sql`m.created_at < ${createdBefore}`]),
    ...(isNoReply === undefined ? [] : [Prisma.sql`m.sent_by IS DISTINCT FROM 'webhook'`]),
  ]
  const [last] = await readRows(
    statements,
    keyRow,
    lastToNumber({
      columns: Prisma.sql`m.key`,
      accountId: Prisma.sql`${accountId}`,
      number: Prisma.sql`${number}`,
      condition: Prisma.join(conditions, ' AND '),
    }),
  )
  return last?.key
}

const keyRow = z.object({ key: z.bigint() })
