import type { MmsContent } from '@smsgw/contract/messages/mms'
import { octetsOf } from '../../http/body/octet-pieces.ts'
import type { Statements } from '../../store/database.ts'
import { withOctets } from '../../store/octet-parameters.ts'
import type { NewMessage } from './accept-messages.ts'

/**
 * Stores the attachments of a message that this transaction has stored, once for all recipients. Each attachment has a
 * separate statement, so that this process has a second copy of only one attachment in memory at a time.
 */
export async function storeAttachments(
  statements: Statements,
  { accountId, id }: Pick<NewMessage, 'accountId' | 'id'>,
  attachments: MmsContent['attachments'],
): Promise<void> {
  for (const [position, { name = null, contentType, data }] of attachments.entries()) {
    const octets = octetsOf(data)
    await withOctets(
      octets,
      (parameter) => statements.$executeRaw`
        INSERT INTO message_attachments (message_key, position, name, content_type, size, octets)
        SELECT key, ${position}, ${name}, ${contentType}, ${octets.size}, ${parameter}::bytea
        FROM messages WHERE account_id = ${accountId} AND id = ${id}
        ON CONFLICT DO NOTHING`,
    )
  }
}
