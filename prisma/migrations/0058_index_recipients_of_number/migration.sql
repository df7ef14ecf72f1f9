-- Finds the messages to one number. The index is divided into buckets by the key of the message, so that storing a message changes only
-- the newest bucket, which fits into memory (docs/decisions/0024-buckets-of-the-index-by-number.md).
CREATE INDEX CONCURRENTLY IF NOT EXISTS recipients_of_number
  ON recipients (account_id, (message_key >> 21), phone_number, message_key);
