import type { NewAttachment } from '../inbox/insert-received-statement.ts'
import type { Statements } from '../store/database.ts'
import { withOctets } from '../store/octet-parameters.ts'
import { storableText } from '../store/storable.ts'

/** Stores an attachment of a received message, unless it is already stored. Returns the number of rows: 1, or 0. */
export function insertReceivedAttachment(
  statements: Statements,
  { inboxKey, position }: { readonly inboxKey: bigint; readonly position: number },
  { partId, name, contentType, octets }: NewAttachment,
): Promise<number> {
  return withOctets(
    octets,
    (parameter) => statements.$executeRaw`
      INSERT INTO inbox_attachments (inbox_key, part_id, position, name, content_type, size, octets)
      SELECT key, ${BigInt(partId)}, ${position}, ${storableText(name)}, ${storableText(contentType)}, ${octets.size},
        ${parameter}::bytea
      FROM inbox WHERE key = ${inboxKey}
      ON CONFLICT DO NOTHING`,
  )
}
