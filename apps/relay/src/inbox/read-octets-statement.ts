import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

/**
 * Returns a piece of an attachment, or undefined if the attachment was deleted. Takes no locks. The caller has found the
 * attachment in its account.
 */
export async function readOctets(
  statements: Statements,
  { inboxKey, partId }: { readonly inboxKey: bigint; readonly partId: bigint },
  from: number,
  length: number,
): Promise<Uint8Array | undefined> {
  const [piece] = await readRows(
    statements,
    pieceRow,
    Prisma.sql`
    SELECT substring(octets FROM ${from + 1}::int FOR ${length}::int) AS octets
    FROM inbox_attachments WHERE inbox_key = ${inboxKey} AND part_id = ${partId}`,
  )
  return piece?.octets
}

const pieceRow = z.object({ octets: z.instanceof(Uint8Array) })
