import type { RawStatements } from '../../store/raw-statements.ts'
import type { MessageProgress, TrackedRecipient } from './message-progress.ts'

/**
 * Writes any number of recipients and messages in one round trip. The caller has locked them, and has checked that they
 * belong to the account and the device. Recipients and messages are separate lists, because most changes of a recipient
 * leave its message unchanged.
 */
export async function writeProgress(
  statements: RawStatements,
  recipients: readonly TrackedRecipient[],
  messages: readonly MessageProgress[],
): Promise<void> {
  if (recipients.length === 0 && messages.length === 0) return
  const ofRecipients = <T>(pick: (recipient: TrackedRecipient) => T) => recipients.map(pick)
  const ofMessages = <T>(pick: (message: MessageProgress) => T) => messages.map(pick)
  await statements.$executeRaw`
    WITH written AS (
      UPDATE recipients r SET state = c.state::message_state, error = c.error, error_code = c.error_code,
        used_sim_number = c.used_sim_number, sender_number = c.sender_number, parts_count = c.parts_count,
        possible_duplicate = c.possible_duplicate,
        cancel_requested_at = c.cancel_requested_at, cancel_answered_at = c.cancel_answered_at,
        processed_at = c.processed_at, sent_at = c.sent_at, delivered_at = c.delivered_at, failed_at = c.failed_at,
        cancelled_at = c.cancelled_at
      FROM unnest(
        ${ofRecipients(({ cmdId }) => cmdId)}::text[], ${ofRecipients(({ state }) => state)}::text[],
        ${ofRecipients(({ error }) => error)}::text[], ${ofRecipients(({ errorCode }) => errorCode)}::text[],
        ${ofRecipients(({ usedSimNumber }) => usedSimNumber)}::int[],
        ${ofRecipients(({ senderNumber }) => senderNumber)}::text[],
        ${ofRecipients(({ partsCount }) => partsCount)}::int[],
        ${ofRecipients(({ possibleDuplicate }) => possibleDuplicate)}::boolean[],
        ${ofRecipients(({ cancelRequestedAt }) => cancelRequestedAt)}::timestamptz[],
        ${ofRecipients(({ cancelAnsweredAt }) => cancelAnsweredAt)}::timestamptz[],
        ${ofRecipients(({ processedAt }) => processedAt)}::timestamptz[],
        ${ofRecipients(({ sentAt }) => sentAt)}::timestamptz[],
        ${ofRecipients(({ deliveredAt }) => deliveredAt)}::timestamptz[],
        ${ofRecipients(({ failedAt }) => failedAt)}::timestamptz[],
        ${ofRecipients(({ cancelledAt }) => cancelledAt)}::timestamptz[]
      ) AS c (cmd_id, state, error, error_code, used_sim_number, sender_number, parts_count, possible_duplicate,
        cancel_requested_at, cancel_answered_at, processed_at, sent_at, delivered_at, failed_at, cancelled_at)
      WHERE r.cmd_id = c.cmd_id
    )
    UPDATE messages m SET state = c.state::message_state, finished_at = c.finished_at,
      cancelling_at = c.cancelling_at, cancelled_at = c.cancelled_at, processed_at = c.processed_at,
      sent_at = c.sent_at, delivered_at = c.delivered_at, failed_at = c.failed_at
    FROM unnest(
      ${ofMessages(({ key }) => key)}::bigint[], ${ofMessages(({ state }) => state)}::text[],
      ${ofMessages(({ finishedAt }) => finishedAt)}::timestamptz[],
      ${ofMessages(({ cancellingAt }) => cancellingAt)}::timestamptz[],
      ${ofMessages(({ cancelledAt }) => cancelledAt)}::timestamptz[],
      ${ofMessages(({ processedAt }) => processedAt)}::timestamptz[],
      ${ofMessages(({ sentAt }) => sentAt)}::timestamptz[],
      ${ofMessages(({ deliveredAt }) => deliveredAt)}::timestamptz[],
      ${ofMessages(({ failedAt }) => failedAt)}::timestamptz[]
    ) AS c (key, state, finished_at, cancelling_at, cancelled_at, processed_at, sent_at, delivered_at, failed_at)
    WHERE m.key = c.key`
}
