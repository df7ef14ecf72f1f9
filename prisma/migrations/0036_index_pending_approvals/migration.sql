-- Lists messages that wait for approval, and finds messages that nobody approved in time. The index is partial, so that it
-- costs nothing for other messages.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "messages_pending_approval_idx"
  ON "messages"("account_id", "created_at", "key") WHERE "state" = 'Pending' AND "approval" = 'pending';
