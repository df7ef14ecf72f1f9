-- Lists messages of which some recipients failed. The index is partial, so that it costs nothing for other messages.
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_partly_failed
  ON messages (account_id, state, created_at, key)
  WHERE is_partly_failed;
