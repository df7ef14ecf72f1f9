-- Lists the messages of one API key. Partial, so that other messages do not pay for it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_of_key
  ON messages (account_id, sent_by_key_id, created_at, key)
  WHERE sent_by_key_id IS NOT NULL;
