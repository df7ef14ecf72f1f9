import type { Statements } from '../../store/database.ts'

/**
 * Deletes a recipient of a sent message. If it was the last recipient, the message is deleted, too. Returns false if
 * the message has not ended.
 *
 * Locks the message, like every change of a recipient, so that two requests do not leave a message without recipients.
 * After the lock, the second statement sees the deletions of the other request. Must be called in a transaction.
 */
export async function deleteSent(statements: Statements, key: bigint, cmdId: string): Promise<boolean> {
  const deleted = await statements.$executeRaw`
    WITH ended AS MATERIALIZED (SELECT key FROM messages WHERE key = ${key} AND finished_at IS NOT NULL FOR UPDATE)
    DELETE FROM recipients r USING ended WHERE r.message_key = ended.key AND r.cmd_id = ${cmdId}`
  if (deleted === 0) return false
  await statements.$executeRaw`
    DELETE FROM messages m WHERE m.key = ${key} AND NOT EXISTS (SELECT FROM recipients r WHERE r.message_key = m.key)`
  return true
}
