import { DecodedBase64 } from '@smsgw/contract/decoded-base64'
import { type MmsContent, octetsOfBase64 } from '@smsgw/contract/mms'
import { base64Of } from '../../http/octet-pieces.ts'
import type { Statements } from '../../store/database.ts'
import type { NewMessage } from './accept-messages.ts'

/**
 * Stores the attachments of a message that this transaction has stored, once for all recipients. The database decodes them, and
 * each has its own statement, so that this process holds a second copy of one only.
 */
export async function storeAttachments(
  statements: Statements,
  { accountId, id }: Pick<NewMessage, 'accountId' | 'id'>,
  attachments: MmsContent['attachments'],
): Promise<void> {
  for (const [position, { name = null, contentType, data }] of attachments.entries()) {
    const text = data instanceof DecodedBase64 ? base64Of(data) : data
    await statements.$executeRaw`
      INSERT INTO message_attachments (message_key, position, name, content_type, size, octets)
      SELECT key, ${position}, ${name}, ${contentType}, ${octetsOfBase64(data)}, decode(${text}, 'base64')
      FROM messages WHERE account_id = ${accountId} AND id = ${id}
      ON CONFLICT DO NOTHING`
  }
}
