-- Lists messages that wait for approval, and finds those that nobody approved in time. Partial, so that other messages do not pay.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "messages_pending_approval_idx"
  ON "messages"("account_id", "created_at", "key") WHERE "state" = 'Pending' AND "approval" = 'pending';
