-- Finds messages with failed recipients, whatever the state of the message.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "recipients_failed_idx" ON "recipients"("account_id", "message_key") WHERE "state" = 'Failed';
