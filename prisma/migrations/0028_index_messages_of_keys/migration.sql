-- Lists the messages of one API key. The index is partial, so that it costs nothing for other messages.
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_of_key
  ON messages (account_id, sent_by_key_id, created_at, key)
  WHERE sent_by_key_id IS NOT NULL;
