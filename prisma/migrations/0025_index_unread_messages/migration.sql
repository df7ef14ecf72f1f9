-- Finds and counts the unread messages of an account and of one sender.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "inbox_unread_idx" ON "inbox"("account_id", "sender", "created_at", "key") WHERE "is_unread";
