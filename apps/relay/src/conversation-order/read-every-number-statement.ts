import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'
import { readUnordered } from './read-order-statement.ts'

/**
 * Reads all numbers that messages were exchanged with, and perhaps some whose messages were deleted. Returns undefined
 * if the account has more than `most` numbers, or if more than `mostUnordered` messages are not in the order of
 * conversations yet. Takes no locks.
 */
export async function readEveryNumber(
  statements: Statements,
  accountId: string,
  { most, mostUnordered }: { readonly most: number; readonly mostUnordered: number },
): Promise<string[] | undefined> {
  // Reads the new messages first, so that a number is not missed when the job adds it to the order in between.
  const unordered = await readUnordered(statements, accountId, mostUnordered)
  if (unordered.count > mostUnordered) return undefined
  const ordered = await readRows(
    statements,
    numberRow,
    Prisma.sql`SELECT number FROM conversation_order WHERE account_id = ${accountId} LIMIT ${most + 1}`,
  )
  const numbers = new Set([...unordered.numbers, ...ordered.map(({ number }) => number)])
  return numbers.size > most ? undefined : [...numbers]
}

const numberRow = z.object({ number: z.string() })
