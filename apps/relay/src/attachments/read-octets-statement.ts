import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

/** The table that contains an attachment: for received messages or for messages to send. */
export type StoredOctets =
  | { readonly inboxKey: bigint; readonly partId: bigint }
  | { readonly messageKey: bigint; readonly position: number }

/**
 * Returns a piece of an attachment, or undefined if the attachment was deleted. Takes no locks. The caller has already
 * checked that the attachment belongs to its account.
 */
export async function readOctets(
  statements: Statements,
  stored: StoredOctets,
  from: number,
  length: number,
): Promise<Uint8Array | undefined> {
  const row =
    'inboxKey' in stored
      ? Prisma.sql`inbox_attachments WHERE inbox_key = ${stored.inboxKey} AND part_id = ${stored.partId}`
      : Prisma.sql`message_attachments WHERE message_key = ${stored.messageKey} AND position = ${stored.position}`
  const [piece] = await readRows(
    statements,
    pieceRow,
    Prisma.sql`SELECT substring(octets FROM ${from + 1}::int FOR ${length}::int) AS octets FROM ${row}`,
  )
  return piece?.octets
}

const pieceRow = z.object({ octets: z.instanceof(Uint8Array) })
