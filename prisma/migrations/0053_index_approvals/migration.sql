-- Lists messages that were approved, refused or not approved in time. The index is partial, so that it costs nothing for
-- messages that need no approval.
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_approval_idx
  ON messages (account_id, approval, created_at, key)
  WHERE approval IS NOT NULL;
